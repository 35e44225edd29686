//! Tables of numbers read from CSV text by the compiler: a firmware carries the numbers, not the
//! text.

/// Columns `first .. first + C` of the rows whose second field is `label` (of all rows when it is
/// empty).
///
/// The first line is a header. Anything unexpected stops the build.
pub(crate) const fn table<const R: usize, const C: usize>(
    csv: &str,
    label: &str,
    first: usize,
) -> [[f32; C]; R] {
    let text = csv.as_bytes();
    let mut rows = [[0.0; C]; R];
    let mut row = 0;
    let mut line = after(text, 0, b'\n');
    while line < text.len() {
        if label.is_empty() || starts_with(text, after(text, line, b','), label.as_bytes()) {
            assert!(row < R, "more rows than the table has room for");
            let mut field = line;
            let mut skipped = 0;
            while skipped < first {
                field = after(text, field, b',');
                skipped += 1;
            }
            let mut column = 0;
            while column < C {
                rows[row][column] = number(text, field);
                field = after(text, field, b',');
                column += 1;
            }
            row += 1;
        }
        line = after(text, line, b'\n');
    }
    assert!(row == R, "fewer rows than the table has room for");
    rows
}

/// The position after the next `byte`, or the end.
const fn after(text: &[u8], mut at: usize, byte: u8) -> usize {
    while at < text.len() {
        at += 1;
        if text[at - 1] == byte {
            break;
        }
    }
    at
}

/// Is this the whole field at that position?
const fn starts_with(text: &[u8], at: usize, field: &[u8]) -> bool {
    let mut i = 0;
    while i < field.len() {
        if at + i >= text.len() || text[at + i] != field[i] {
            return false;
        }
        i += 1;
    }
    at + i < text.len() && text[at + i] == b','
}

/// A decimal number; at most 17 digits, so that they fit in 64 bits.
const fn number(text: &[u8], mut at: usize) -> f32 {
    let negative = text[at] == b'-';
    if negative {
        at += 1;
    }
    let (mut digits, mut scale, mut fraction) = (0_u64, 0_i32, false);
    while at < text.len() {
        match text[at] {
            b'0'..=b'9' => {
                digits = digits * 10 + (text[at] - b'0') as u64;
                if fraction {
                    scale -= 1;
                }
            }
            b'.' => fraction = true,
            b'e' => {
                scale += exponent(text, at + 1);
                break;
            }
            b',' | b'\n' | b'\r' => break,
            _ => panic!("not a number"),
        }
        at += 1;
    }
    let mut value = digits as f64;
    let mut ten = 1.0;
    let mut left = scale.abs();
    while left > 0 {
        ten *= 10.0;
        left -= 1;
    }
    value = if scale < 0 { value / ten } else { value * ten };
    (if negative { -value } else { value }) as f32
}

const fn exponent(text: &[u8], mut at: usize) -> i32 {
    let negative = text[at] == b'-';
    if negative || text[at] == b'+' {
        at += 1;
    }
    let mut value = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        value = value * 10 + (text[at] - b'0') as i32;
        at += 1;
    }
    if negative { -value } else { value }
}
