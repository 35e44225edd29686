//! Files that do not have their name yet, and new folders that nothing is in yet, so that none is
//! left behind when the program is interrupted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::NamedTempFile;

/// The files that are being written, and the folders that were made for them.
pub(crate) struct Unfinished(Vec<PathBuf>);

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished(Vec::new()));
static WATCH: Once = Once::new();

/// All of them. While this is held, an interrupt waits.
pub(crate) fn unfinished() -> MutexGuard<'static, Unfinished> {
    WATCH.call_once(watch);
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Unfinished {
    /// A file that is to be removed unless it is finished.
    pub(crate) fn begin(
        &mut self,
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<NamedTempFile> {
        let file = make()?;
        self.0.push(file.path().into());
        Ok(file)
    }

    /// Gives a file its name.
    pub(crate) fn finish(&mut self, file: NamedTempFile, place: &Path) -> io::Result<()> {
        let path = file.path().to_path_buf();
        file.persist(place).map_err(|error| error.error)?;
        self.0.retain(|unfinished| *unfinished != path);
        Ok(())
    }

    /// Makes a folder that is to be removed, if it is empty, unless it is finished.
    pub(crate) fn begin_folder(&mut self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        self.0.push(folder.into());
        Ok(())
    }

    /// Lets a folder stay.
    pub(crate) fn finish_folder(&mut self, folder: &Path) {
        self.0.retain(|unfinished| unfinished != folder);
    }

    fn remove(&mut self) {
        // What is in a folder comes behind it.
        for path in self.0.drain(..).rev() {
            // It may be gone already.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
    }
}

/// Ends the program as an interrupt does, but cleans up before.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // Without it, files are as whole as with it; only a part may be left behind.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            unfinished.remove();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn watch() {}
