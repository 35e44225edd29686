//! The arithmetic of a quantised detector once more, as plainly as possible: numbers that cannot
//! overflow, no blocks, no wrapping.
//!
//! Every range that the library relies on is asserted here.

use mercer::detect::quantised::QuantisedModel;
use mercer::kpca::Score;

/// What a value of 0 is stored as.
const BIAS: i128 = 1 << 15;

pub(crate) fn plain_score<const D: usize, const R: usize, const P: usize>(
    model: &QuantisedModel<D, R, P>,
    x: &[f32; D],
) -> Score<f32> {
    let header = &model.header;
    let kernel = kernel_values(model, x);
    let sum = |weight: &dyn Fn(usize) -> u16, shift: u8| {
        let terms = kernel.iter().enumerate().map(|(i, k)| (i128::from(weight(i)) - BIAS) * k);
        // In Q30, in which 2 is where the range ends; then in Q29.
        let sum = terms.sum::<i128>() << shift;
        assert!(sum.abs() < 1 << 31, "a sum of weighted kernel values is {sum}");
        sum >> 1
    };
    let (mut explained, mut abs_sum, mut t2) = (0, 0, 0);
    for j in 0..header.components as usize {
        let component = &model.components[j];
        let f =
            sum(&|i| model.points[i].weights[j], component.shift) - i128::from(component.offset);
        assert!(f.abs() < (1 << 31) - (1 << 15), "a projection is {f}");
        let high = (f + (1 << 14)).div_euclid(1 << 15);
        let low = f - (high << 15);
        let square = high * high + (high * low).div_euclid(1 << 14);
        explained += square;
        abs_sum += f.abs() >> 3;
        t2 += square * i128::from(component.inverse_variance);
    }
    let twice = sum(&|i| model.points[i].centre, header.centre_shift);
    let centre_distance = (i128::from(header.ceiling) - twice).max(0);
    let spe = (centre_distance - explained.min(u32::MAX.into())).max(0);
    assert!(centre_distance < 1 << 32 && abs_sum < 1 << 32 && t2 < 1 << 64);
    // What is longer than 32 bits loses its lowest bits.
    let cut = if t2 >> 48 > 0 {
        32
    } else if t2 >> 32 > 0 {
        16
    } else {
        0
    };
    let variance_exponent = i32::from(header.variance_exponent);
    let mut score = Score::default();
    score.spe = float(spe, -28);
    score.t2 = float(t2 >> cut, cut - 28 + variance_exponent);
    score.abs_sum = float(abs_sum, -26);
    score.centre_distance = float(centre_distance, -28);
    score
}

/// In Q16.
fn kernel_values<const D: usize, const R: usize, const P: usize>(
    model: &QuantisedModel<D, R, P>,
    x: &[f32; D],
) -> Vec<i128> {
    let header = &model.header;
    let mut z = Vec::new();
    let (mut length, mut far) = (D as i128, false);
    for (input, &x) in model.inputs.iter().zip(x) {
        let units = (f64::from(x) * f64::from(input.bits).exp2()).round();
        let units = units.clamp(-f64::from(1 << 30), f64::from(1 << 30)) as i128;
        let offset = units - i128::from(input.mean);
        assert!(offset.abs() < 1 << 31);
        far |= offset.abs() > input.limit.into();
        let term = (offset * offset * i128::from(input.weight)) >> 14;
        assert!(term < 1 << 32 || far, "the square of an input is {term}");
        length += term;
        z.push(offset);
    }
    far |= length >= header.far.into();
    let points = model.points.iter().take(header.points as usize);
    points
        .map(|point| {
            let products = z.iter().zip(point.coordinates);
            let product: i128 = products.map(|(z, p)| z * (i128::from(p) - BIAS)).sum();
            let distance = length + i128::from(point.half_length) - product;
            if far {
                // Nothing is lost by not computing these.
                let octaves = distance >> (header.distance_shift + 19);
                assert!(octaves >= 17, "a far reading is {octaves} octaves from a point");
                return 0;
            }
            assert!((0..1 << 32).contains(&distance), "half a squared distance is {distance}");
            power((distance >> header.distance_shift) as u32)
        })
        .collect()
}

/// `2^−x` in Q16 for `x` in Q19: a straight line over each 128th of an octave, between ends that
/// are rounded to Q19 with half a unit of the result added.
fn power(x: u32) -> i128 {
    let (octaves, part) = (x >> 19, x & 0x7_ffff);
    if octaves >= 17 {
        return 0;
    }
    let end = |i: u32| (((-f64::from(i) / 128.0).exp2() + 0.5_f64.powi(17)) * 524_288.0).round();
    let (begin, end) = (end(part >> 12) as i128, end((part >> 12) + 1) as i128);
    let fall = begin - end;
    // The difference stands in the lowest bits of the entry.
    let value = (begin << 12) + fall - fall * i128::from(part & 0xfff);
    value >> (15 + octaves)
}

/// `value·2^exponent`, rounded once.
fn float(value: i128, exponent: i32) -> f32 {
    (value as f64 * f64::from(exponent).exp2()) as f32
}
