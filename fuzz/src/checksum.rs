//! The checksum of stored detectors and model files, so that edits get past it.

/// CRC-32 as Ethernet, zip and PNG have it; written down here once more, as a reference for the
/// library's.
pub fn crc_32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}

/// Where a stored detector says how long it is.
const LENGTH: std::ops::Range<usize> = 8..12;

/// Makes the checksum of a stored detector right again, wherever its length says that it is.
pub fn mend_stored(bytes: &mut [u8]) {
    let Some(stored) = bytes.get(LENGTH) else { return };
    let length = u32::from_le_bytes(stored.try_into().expect("four bytes")) as usize;
    let whole = bytes.len();
    if let Some((body, checksum)) = bytes[..length.min(whole)].split_last_chunk_mut() {
        *checksum = crc_32(body).to_le_bytes();
    }
}
