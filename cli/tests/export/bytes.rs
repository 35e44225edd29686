//! `--bin`: what a device reads.

use super::*;

use mercer::Error;

include!("../../../examples/data/walking/model.rs");

/// Readings of raw recordings of a smart watch, by the recipe of the model that the examples carry.
fn readings(file: &str, more: &[&str]) -> String {
    let raw = project(&format!("cli/data/motions/{file}.csv"));
    let recipe = ["--window", "16", "--features", "mean,logstd", "--by", "recording"];
    done(&[&["features", &raw, "--drop", "t_s,activity"], recipe.as_slice(), more].concat())
}

/// The stored form of that model, fitted to its readings instead of raw samples.
fn exported() -> Vec<u8> {
    let folder = Folder::new();
    let (train, model) = (folder.path("train.csv"), folder.path("walking.mercer"));
    fs::write(&train, readings("train", &["--where", "activity=walking"])).expect("room for it");
    let fit = ["fit", &train, "--drop", "row", "--by", "recording", "--out", &model];
    let sizes = ["--log", "none", "--landmarks", "12", "--components", "4"];
    done(&[fit.as_slice(), &sizes].concat());
    let bin = folder.path("model.bin");
    done(&["export", &model, "--bin", &bin]);
    fs::read(bin).expect("it was written")
}

#[test]
fn a_device_reads_the_bytes_as_the_same_detector() {
    let bytes = exported();
    let mut restored = Walking::new();
    restored.read_from(&bytes).unwrap();
    for reading in readings("test", &["--every", "20"]).lines().skip(1) {
        let x: Vec<f32> = reading.split(',').skip(2).map(|cell| cell.parse().unwrap()).collect();
        let x: [f32; 12] = x.try_into().unwrap();
        let (found, expected) = (restored.score(&x).unwrap(), WALKING.score(&x).unwrap());
        let bits = |score: mercer::kpca::Score<f32>| {
            [score.spe, score.t2, score.abs_sum, score.centre_distance].map(f32::to_bits)
        };
        assert_eq!(bits(found.score), bits(expected.score));
        assert_eq!(found.unusual, expected.unusual);
    }
    let mut again = [0; Walking::ENCODED_SIZE];
    let length = WALKING.write_to(&mut again).unwrap();
    assert_eq!(again[..length], bytes, "the same bytes from the source in Rust");
    assert_eq!(bytes.last_chunk(), Some(&WALKING_CHECKSUM.to_le_bytes()));
    assert_eq!(WALKING_INPUTS[11], "gz_logstd");
    assert_eq!(walking_self_test(), Ok(()));
}

#[test]
fn an_altered_byte_is_noticed() {
    let mut bytes = exported();
    bytes[200] ^= 1;
    assert!(matches!(Walking::new().read_from(&bytes), Err(Error::Format(_))));
}
