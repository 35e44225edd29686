//! Numbers as integers in C: from floats, powers of a half, and logarithms; with the tables that
//! these need.

/// Entries of a table, eight on a line.
fn lines(entries: &[String], on_a_line: usize) -> String {
    entries.chunks(on_a_line).map(|line| format!("    {},\n", line.join(", "))).collect()
}

/// `2^(−i/128)` in Q31 and, in the lowest 12 bits, by how much the next entry is smaller, in Q19.
pub(super) fn power_table() -> String {
    const BITS: u32 = 62;
    let round = |value: u128| ((value + (1 << (BITS - 20))) >> (BITS - 19)) as u32;
    // 2^(−1/128) is the seventh square root of one half.
    let root = (0..7).fold(1_u128 << (BITS - 1), |root, _| (root << BITS).isqrt());
    // Half a unit of the result, so that cutting off rounds.
    let half = 1_u128 << (BITS - 17);
    let mut power = 1_u128 << BITS;
    let mut entry = round(power + half);
    let entries: Vec<String> = (0..128)
        .map(|_| {
            power = (power * root) >> BITS;
            let next = round(power + half);
            let both = (entry << 12) + (entry - next);
            entry = next;
            format!("{both:#010x}u")
        })
        .collect();
    lines(&entries, 8)
}

/// For each 32nd of an octave a `c` near `1/m` in Q14, and `−log2 c` in Q24.
pub(super) fn log_table() -> String {
    let entries: Vec<String> = (0..32)
        .map(|i| {
            let middle = 1.0 + (f64::from(i) + 0.5) / 32.0;
            let inverse = (f64::from(1 << 14) / middle + 0.5) as u32;
            let log = log2_series(f64::from(1 << 14) / f64::from(inverse));
            format!("{{{inverse}u, {}}}", (log * f64::from(1 << 24) + 0.5) as i32)
        })
        .collect();
    lines(&entries, 4)
}

/// `log2 y` for `1 ≤ y ≤ 2`: the terms that the library adds up.
fn log2_series(y: f64) -> f64 {
    let z = (y - 1.0) / (y + 1.0);
    let (mut sum, mut power) = (0.0, z);
    for k in (1..40).step_by(2) {
        sum += power / f64::from(k);
        power *= z * z;
    }
    2.0 * std::f64::consts::LOG2_E * sum
}

pub(super) const FIXED: &str = r#"
static int name_bits_of(int input)
{
    return (int16_t)NAME_READ16(name_inputs[input].bits);
}

static int32_t name_mean_of(int input)
{
    return (int32_t)NAME_READ32(name_inputs[input].mean);
}

/* x * 2^bits, rounded to the nearest and at most 2^30 in magnitude. Returns whether x is finite. */
static int name_to_fixed(float x, int bits, int32_t *fixed)
{
    const uint32_t pattern = name_bits(x);
    const int exponent = (int)((pattern >> 23) & 0xffu);
    const uint32_t mantissa = (pattern << 8) | 0x80000000u;
    const int excess = 157 - bits - exponent;
    int32_t magnitude = 0;

    if (exponent == 0xff) {
        return 0;
    }
    if (excess < 1) {
        magnitude = 0x40000000;
    } else if (excess < 32) {
        magnitude = (int32_t)(((mantissa >> excess) + 1u) >> 1);
    }
    *fixed = pattern >> 31 ? -magnitude : magnitude;
    return 1;
}
"#;

pub(super) const LOGARITHM: &str = r#"
/* An inverse and its logarithm for each 32nd of an octave. */
static const struct {
    uint32_t inverse;
    int32_t log;
} name_logs[32] NAME_TABLE = {
LOG_ROWS};

/* The logarithm to base 2, times 2^24, of the float above 0 with these bits. */
static int32_t name_log2(uint32_t pattern)
{
    const uint32_t exponent = (pattern >> 23) - 127u;
    const uint32_t mantissa = (pattern & 0x007fffffu) | 0x00800000u;
    const uint32_t step = (pattern >> 18) % 32u;
    const int32_t rest = (int32_t)(mantissa * NAME_READ32(name_logs[step].inverse));
    const int32_t small = rest >> 16;
    const int32_t square = ((15758 * small) >> 21) - 23637;
    const int32_t linear = ((square * small) >> 14) + 6051101;
    const int32_t near = (int32_t)(((int64_t)rest * linear) >> 35);

    return (int32_t)((exponent << 24) + (uint32_t)NAME_READ32(name_logs[step].log) + (uint32_t)near);
}

/* The logarithm of an input, or of its floor, in the units of the input. Returns whether x is finite. */
static int name_log_to_fixed(float x, int input, int32_t *fixed)
{
    const uint32_t pattern = name_bits(x);
    const int32_t floor = (int32_t)NAME_READ32(name_floor_bits[input]);
    const int32_t log = name_log2((uint32_t)((int32_t)pattern > floor ? (int32_t)pattern : floor));
    const int excess = (24 - name_bits_of(input)) & 31;

    *fixed = ((log >> (excess - 1)) + 1) >> 1;
    return ((pattern >> 23) & 0xffu) != 0xffu;
}
"#;
