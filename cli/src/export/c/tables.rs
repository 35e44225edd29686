//! Where tables lie: as constants in memory, or on AVR in flash, which C cannot read as memory
//! there.

use crate::{Number, Precision};

/// What stands in a source in front of its tables.
pub(super) fn access<T: Number>() -> &'static str {
    match T::PRECISION {
        Precision::F32 => IN_FLASH,
        Precision::F64 => IN_MEMORY,
    }
}

/// The same macros for both, so that tables are read in one way.
const IN_FLASH: &str = r#"
/* Tables. On AVR they stay in flash, which C cannot read as memory there, unless NAME_TABLES_IN_RAM is defined. */
#if defined(__AVR__) && !defined(NAME_TABLES_IN_RAM)
#include <avr/pgmspace.h>
#define NAME_TABLE PROGMEM
#define NAME_READ(number) pgm_read_float(&(number))
#define NAME_READ16(number) pgm_read_word(&(number))
#define NAME_READ32(number) pgm_read_dword(&(number))
#define NAME_ROW(row, room) ((const float *)memcpy_P((room), (row), sizeof(row)))
#define NAME_LOAD(to, from) ((void)memcpy_P(&(to), &(from), sizeof(to)))
#else
#define NAME_TABLE
#define NAME_READ(number) (number)
#define NAME_READ16(number) (number)
#define NAME_READ32(number) (number)
#define NAME_ROW(row, room) ((void)(room), (row))
#define NAME_LOAD(to, from) ((to) = (from))
#endif
"#;

/// A `double` of AVR has 32 bits, if nobody asks for more.
const IN_MEMORY: &str = r#"
#if DBL_MANT_DIG < 53
#error "this compiler's double has fewer than 64 bits, the model was fitted in f64: fit it with --precision f32"
#endif

/* Tables. */
#define NAME_TABLE
#define NAME_READ(number) (number)
#define NAME_ROW(row, room) ((void)(room), (row))
#define NAME_LOAD(to, from) ((to) = (from))
"#;
