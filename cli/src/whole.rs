//! Files that are written whole or not at all.

use std::fs::{self, Permissions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

/// Writes a file beside its place first, so that there is never half of it.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    write_together(&[(path, content)])
}

/// Writes several files: each whole, and none before all could be.
pub(crate) fn write_together(files: &[(&Path, &[u8])]) -> Result<()> {
    let staged: Vec<Staged> =
        files.iter().map(|(path, content)| Staged::new(path, content)).collect::<Result<_>>()?;
    staged.into_iter().try_for_each(Staged::settle)
}

/// An output must not replace what was just read.
pub(crate) fn require_other(output: &Path, input: &Path) -> Result<()> {
    let same = matches!((output.canonicalize(), input.canonicalize()), (Ok(a), Ok(b)) if a == b);
    ensure!(!same, "{}: is read, so it cannot be written too", output.display());
    Ok(())
}

/// What was written, but not yet to its place.
enum Staged {
    File {
        file: NamedTempFile,
        place: PathBuf,
    },
    /// A pipe or a device is no place for another file.
    Special {
        place: PathBuf,
        content: Vec<u8>,
    },
}

impl Staged {
    fn new(path: &Path, content: &[u8]) -> Result<Self> {
        let name = || path.display().to_string();
        // A link stays, and what it points to is written.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let existing = fs::metadata(&place).ok();
        if existing.as_ref().is_some_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(Self::Special { place, content: content.to_vec() });
        }
        ensure!(existing.as_ref().is_none_or(fs::Metadata::is_file), "{}: is a folder", name());
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        ensure!(folder.is_dir(), "{}: there is no folder {}", name(), folder.display());
        let mut builder = tempfile::Builder::new();
        if let Some(permissions) = existing.map(|found| found.permissions()).or_else(usual) {
            builder.permissions(permissions);
        }
        let mut file = builder.tempfile_in(folder).with_context(name)?;
        file.write_all(content).with_context(name)?;
        file.as_file().sync_all().with_context(name)?;
        Ok(Self::File { file, place })
    }

    fn settle(self) -> Result<()> {
        match self {
            Self::File { file, place } => {
                let settled = file.persist(&place).map_err(|error| error.error);
                settled.with_context(|| place.display().to_string()).map(|_| ())
            }
            Self::Special { place, content } => {
                fs::write(&place, content).with_context(|| place.display().to_string())
            }
        }
    }
}

/// What a new file may be used for: all that the user's mask allows, as with any other program.
#[cfg(unix)]
fn usual() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<Permissions> {
    None
}
