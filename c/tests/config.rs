//! What the builder may choose, and what is said of wrong choices.

#[path = "../build/config.rs"]
mod config;

use config::Config;

fn read(variables: &[(&str, &str)]) -> Result<Config, String> {
    let known = |key: &str| assert!(config::KEYS.contains(&key), "{key} is not watched");
    Config::read(|key| {
        known(key);
        variables.iter().find(|(name, _)| *name == key).map(|(_, value)| value.to_string())
    })
}

#[track_caller]
fn refused(variables: &[(&str, &str)], expected: &str) {
    let error = read(variables).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn without_variables_it_is_the_fan() {
    let fan = read(&[]).unwrap();
    assert_eq!((fan.inputs, fan.readings, fan.points, fan.components), (4, 64, 12, 4));
    // Set to nothing is not set.
    assert_eq!(read(&[("MERCER_WINDOW", " ")]).unwrap(), fan);
}

#[test]
fn inputs_follow_from_channels_and_features() {
    let wide = [
        ("MERCER_CHANNELS", "3"),
        ("MERCER_NAMES", "ax, ay,az"),
        ("MERCER_SAMPLES", "f32"),
        ("MERCER_WINDOW", "256"),
        ("MERCER_HOP", "128"),
        ("MERCER_FEATURES", "mean,logstd,bands4"),
    ];
    let config = read(&wide).unwrap();
    assert_eq!(config.inputs, 18);
    let source = config.to_rust();
    assert!(source.contains("c\"az_bands4_3\"") || source.contains("c\"az_band"), "{source}");
    assert!(source.contains("Feature::Bands(4)") && source.contains("type Sample = f32"));
    // The same is the same build, anything else another one.
    let build = |config: &Config| {
        let source = config.to_rust();
        let line = source.lines().find(|line| line.contains("BUILD")).unwrap();
        line.to_string()
    };
    assert_eq!(build(&config), build(&read(&wide).unwrap()));
    assert_ne!(build(&config), build(&read(&wide[..5]).unwrap()));
}

#[test]
fn readings_need_no_front_end() {
    let config = read(&[("MERCER_CHANNELS", "0"), ("MERCER_INPUTS", "3")]).unwrap();
    assert!(config.raw.is_none() && config.inputs == 3);
    refused(&[("MERCER_CHANNELS", "0")], "MERCER_INPUTS must be set");
    let mixed = [("MERCER_CHANNELS", "0"), ("MERCER_INPUTS", "3"), ("MERCER_HOP", "3")];
    refused(&mixed, "MERCER_HOP is set, but MERCER_CHANNELS is 0");
}

#[test]
fn wrong_choices_are_named() {
    refused(&[("MERCER_POINTS", "many")], "MERCER_POINTS is \"many\", it must be a whole number");
    refused(&[("MERCER_READINGS", "7")], "from 8 to");
    refused(&[("MERCER_WINDOW", "0")], "MERCER_WINDOW is \"0\"");
    refused(&[("MERCER_CHANNELS", "-1")], "MERCER_CHANNELS is \"-1\"");
    refused(&[("MERCER_POINTS", "65")], "more than the 64 of MERCER_READINGS");
    refused(&[("MERCER_COMPONENTS", "12")], "at most 11");
    refused(&[("MERCER_SAMPLES", "u8")], "it must be i16 or f32");
    refused(&[("MERCER_FEATURES", "mean,median")], "MERCER_FEATURES has \"median\"");
    refused(&[("MERCER_FEATURES", "mean,mean")], "different");
    refused(&[("MERCER_FEATURES", "bands4")], "a power of two for bands");
    refused(&[("MERCER_INPUTS", "5")], "2 channels with 2 features make 4: leave it out");
    refused(&[("MERCER_NAMES", "ax")], "MERCER_NAMES has 1 names for 2 channels");
    refused(&[("MERCER_NAMES", "ax,a\"y")], "letters, digits and underscores");
    let huge = [("MERCER_READINGS", "1000000"), ("MERCER_POINTS", "100000")];
    refused(&huge, "more than 256 MB");
}
