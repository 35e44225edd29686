//! Files that are written whole or not at all.
//!
//! Each is written beside its place, brought to the disk, and only then given its name. Whatever
//! happens before that (no room, a broken disk, an interrupt) leaves what was there as it was, and
//! nothing else.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::NamedTempFile;

use crate::unfinished::{Unfinished, unfinished};

/// Writes a file beside its place first, so that there is never half of it.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    write_together(&[(path, content)])
}

/// Writes several files: each whole, and none before all could be.
pub(crate) fn write_together(files: &[(&Path, &[u8])]) -> Result<()> {
    let mut staged: Vec<Staged> = Vec::new();
    for (path, content) in files {
        let next = Staged::new(path, content)?;
        ensure!(
            staged.iter().all(|s| s.place != next.place),
            "{}: asked for twice",
            path.display()
        );
        staged.push(next);
    }
    // An interrupt waits until all have their names.
    let mut unfinished = unfinished();
    staged.into_iter().try_for_each(|staged| staged.settle(&mut unfinished))
}

/// Folders that were made for files to come, and go again, if they are empty, unless they are kept.
pub(crate) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes those that are missing; each comes before those within it.
    pub(crate) fn make(folders: &[PathBuf]) -> Result<Self> {
        let mut made = Self(Vec::new());
        for folder in folders.iter().filter(|folder| !folder.is_dir()) {
            let name = || folder.display().to_string();
            ensure!(!folder.exists(), "{}: is no folder", name());
            place(folder)?;
            unfinished().begin_folder(folder).with_context(name)?;
            made.0.push(folder.clone());
        }
        Ok(made)
    }

    /// Lets them stay.
    pub(crate) fn keep(mut self) {
        let mut unfinished = unfinished();
        self.0.drain(..).for_each(|folder| unfinished.finish_folder(&folder));
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        for folder in self.0.drain(..).rev() {
            // One that something is in stays.
            let _ = fs::remove_dir(&folder);
            unfinished.finish_folder(&folder);
        }
    }
}

/// An output must not replace what is read, by whatever name.
pub(crate) fn require_other<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let same = inputs.into_iter().any(|input| is_same_file(output, input));
    ensure!(!same, "{}: is read, so it cannot be written too", output.display());
    Ok(())
}

/// Are both the same file on a disk? Terminals and pipes can be read and written.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let found = |path: &Path| fs::metadata(path).ok().filter(Metadata::is_file);
    match (found(a), found(b)) {
        (Some(of_a), Some(of_b)) => {
            identity(&of_a).map(|id| Some(id) == identity(&of_b)).unwrap_or_else(
                || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b),
            )
        }
        _ => false,
    }
}

/// What tells a file from all others, whatever its names; none where there is no such number.
#[cfg(unix)]
fn identity(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// What was written, but not yet to its place.
pub(crate) struct Staged {
    place: PathBuf,
    content: Content,
}

enum Content {
    File(NamedTempFile),
    /// A pipe or a device is no place for another file.
    Special(Vec<u8>),
}

impl Staged {
    /// A file that grows piece by piece.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        Self::new(path, &[])
    }

    /// It is whole.
    pub(crate) fn finish(self) -> Result<()> {
        if let Content::File(file) = &self.content {
            file.as_file().sync_all().with_context(|| self.place.display().to_string())?;
        }
        self.settle(&mut unfinished())
    }

    fn new(path: &Path, content: &[u8]) -> Result<Self> {
        let name = || path.display().to_string();
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(Self { place: path.into(), content: Content::Special(content.to_vec()) });
        }
        ensure!(existing.as_ref().is_none_or(Metadata::is_file), "{}: is a folder", name());
        let writable = existing.as_ref().is_none_or(|found| !found.permissions().readonly());
        ensure!(writable, "{}: is not to be written (its permissions say so)", name());
        let (folder, place) = place(path)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".mercer-").suffix(".part");
        if let Some(permissions) = existing.map(|found| found.permissions()).or_else(usual) {
            builder.permissions(permissions);
        }
        let mut file = unfinished().begin(|| builder.tempfile_in(&folder)).with_context(name)?;
        file.write_all(content).with_context(name)?;
        file.as_file().sync_all().with_context(name)?;
        Ok(Self { place, content: Content::File(file) })
    }

    fn settle(self, unfinished: &mut Unfinished) -> Result<()> {
        let Self { place, content } = self;
        let settled = match content {
            Content::Special(content) => fs::write(&place, content),
            Content::File(file) => unfinished.finish(file, &place).map(|()| sync_folder(&place)),
        };
        settled.with_context(|| place.display().to_string())
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::File(file) => file.write(bytes),
            Content::Special(content) => content.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.content {
            Content::File(file) => file.flush(),
            Content::Special(_) => Ok(()),
        }
    }
}

/// Links that are followed from one to the next.
const MOST_LINKS: usize = 40;

/// The folder and the path where a file really goes: a link stays, and what it points to is
/// written, whether that exists already or not.
fn place(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let name = path.display();
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_path_buf();
        if let Ok(target) = fs::read_link(&place) {
            place = folder.join(target);
            continue;
        }
        ensure!(folder.is_dir(), "{name}: there is no folder {}", folder.display());
        let folder = folder.canonicalize().with_context(|| name.to_string())?;
        let file = place.file_name().with_context(|| format!("{name}: not the name of a file"))?;
        return Ok((folder.clone(), folder.join(file)));
    }
    bail!("{name}: a link that leads nowhere")
}

/// Brings a new name to the disk, too; where folders cannot be opened, that is left to the system.
fn sync_folder(place: &Path) {
    let folder = place.parent().map(File::open);
    let _: Option<io::Result<()>> = folder.map(|folder| folder?.sync_all());
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
