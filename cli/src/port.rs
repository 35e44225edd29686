//! Lines that arrive on a serial port.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serial2::SerialPort;

/// A port that waits for as long as it takes.
struct Patient(SerialPort);

/// How long a single wait lasts; another one follows.
const WAIT: Duration = Duration::from_secs(3600);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                done => return done,
            }
        }
    }
}

/// Opens a port with 8 data bits, no parity, one stop bit. Unless a line of names is expected, it
/// begins with the first whole line: what comes before is the rest of one.
pub(crate) fn open(path: &Path, baud: u32, has_header: bool) -> Result<Box<dyn Read + Send>> {
    let open = || -> io::Result<Patient> {
        let mut port = SerialPort::open(path, baud)?;
        port.set_read_timeout(WAIT)?;
        Ok(Patient(port))
    };
    let mut port = open().with_context(|| path.display().to_string())?;
    if !has_header {
        let mut byte = [0];
        while byte != *b"\n" && port.read(&mut byte)? > 0 {}
    }
    Ok(Box::new(port))
}
