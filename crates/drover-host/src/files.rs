//! Files placed whole or not at all, copied, measured, and moved out of the way.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use drover_core::step;
use sha2::{Digest as _, Sha256};

use crate::random::hex;

/// How much a directory holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes taken on disk.
    pub bytes: u64,
    /// Files, links and directories inside.
    pub entries: u64,
}

/// Writes a private file so that a reader, or a crash, sees the old text or the new, never half.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    place(path, bytes, 0o600)
}

/// The same for a file that everybody may read.
pub fn write_public(path: &Path, bytes: &[u8]) -> io::Result<()> {
    place(path, bytes, 0o644)
}

fn place(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let directory = parent(path)?;
    let mode = PermissionsExt::from_mode(mode);
    let mut file =
        tempfile::Builder::new().prefix(".drover-").permissions(mode).tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|err| err.error)?;
    sync_directory(directory)?;
    step::reached("file");
    Ok(())
}

/// Whether a directory's entries may be listed and reached.
pub fn is_enterable(directory: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(directory, Access::READ_OK | Access::EXEC_OK).is_ok()
}

/// Makes a private directory and those above it.
pub fn make_private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    step::reached("file");
    Ok(())
}

/// Copies a file, a link or a directory with all it holds to a place where nothing is.
///
/// Links are copied as links. Sockets, fifos and devices are left out: they hold no data.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    copy_entry(from, to)?;
    step::reached("file");
    Ok(())
}

/// Moves a file or directory into a new folder of the trash and says where it is now.
pub fn move_to_trash(path: &Path, trash: &Path, token: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| invalid(path, "has no name"))?;
    if !token.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_') {
        return Err(invalid(Path::new(token), "cannot name a folder of the trash"));
    }
    let folder = trash.join(token);
    make_private_directory(&folder)?;
    let target = folder.join(name);
    if target.symlink_metadata().is_ok() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("{} is in the trash already", target.display()),
        ));
    }
    match fs::rename(path, &target) {
        Err(err) if err.kind() == io::ErrorKind::CrossesDevices => {
            copy_entry(path, &target)?;
            sync_directory(&folder)?;
            remove_tree(path)?;
        }
        other => other?,
    }
    step::reached("file");
    Ok(target)
}

/// Moves a file or directory to a place of its own below a folder, and says where it is now.
///
/// What is there already under that name stays; the newcomer gets a number behind its name.
pub fn move_below(path: &Path, folder: &Path, name: &Path) -> io::Result<PathBuf> {
    let mut target = folder.join(name);
    make_private_directory(parent(&target)?)?;
    for number in 2.. {
        if target.symlink_metadata().is_err() {
            break;
        }
        let mut numbered = folder.join(name).into_os_string();
        numbered.push(format!("~{number}"));
        target = numbered.into();
    }
    match fs::rename(path, &target) {
        Err(err) if err.kind() == io::ErrorKind::CrossesDevices => {
            copy_entry(path, &target)?;
            sync_directory(parent(&target)?)?;
            remove_tree(path)?;
        }
        other => other?,
    }
    step::reached("file");
    Ok(target)
}

/// SHA-256 of a file's bytes, or of a link's target, in hex.
pub fn digest(path: &Path) -> io::Result<String> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut hasher = Sha256::new();
    if path.symlink_metadata()?.is_symlink() {
        hasher.update(fs::read_link(path)?.as_os_str().as_bytes());
    } else {
        io::copy(&mut File::open(path)?, &mut HashWriter(&mut hasher))?;
    }
    Ok(hex(&hasher.finalize()))
}

/// The files and links of a tree, as paths below `root`; `path` itself if it is no directory.
///
/// `enter` decides which directories are looked into; each is asked by its path below `root`.
pub fn files_below(
    root: &Path,
    path: &Path,
    enter: impl Fn(&Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let full = root.join(&path);
        match full.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {
                if !enter(&path) {
                    continue;
                }
                for entry in fs::read_dir(&full)? {
                    open.push(path.join(entry?.file_name()));
                }
            }
            Ok(_) => found.push(path),
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => return Err(err),
        }
    }
    found.sort();
    Ok(found)
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Removes a file, a link or a directory with all it holds; nothing there is no error.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(err) => Err(err),
    };
    match removed {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        other => {
            step::reached("file");
            other
        }
    }
}

/// Measures a directory; what vanishes meanwhile is not counted.
pub fn directory_size(path: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = match fs::read_dir(&directory) {
            Err(err) if err.kind() == io::ErrorKind::NotFound && directory != path => continue,
            other => other?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(metadata) = entry.metadata() else { continue };
            size.entries += 1;
            size.bytes += metadata.blocks() * 512;
            if metadata.is_dir() {
                open.push(entry.path());
            }
        }
    }
    Ok(size)
}

fn copy_entry(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = from.symlink_metadata()?;
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if kind.is_file() {
        let mut source = File::open(from)?;
        let mut target = File::options().write(true).create_new(true).open(to)?;
        io::copy(&mut source, &mut target)?;
        return target.set_permissions(metadata.permissions());
    }
    if kind.is_dir() {
        DirBuilder::new().mode(0o700).create(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_entry(&entry.path(), &to.join(entry.file_name()))?;
        }
        // Last, for a directory that may not be written to.
        return fs::set_permissions(to, PermissionsExt::from_mode(metadata.mode() & 0o7777));
    }
    Ok(())
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn parent(path: &Path) -> io::Result<&Path> {
    path.parent()
        .map(|it| if it.as_os_str().is_empty() { Path::new(".") } else { it })
        .ok_or_else(|| invalid(path, "has no parent directory"))
}

fn invalid(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_private_and_replaces_the_old_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_tree_is_copied_with_its_links_and_modes() {
        let directory = tempfile::tempdir().unwrap();
        let from = directory.path().join("from");
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("inner/run"), "x").unwrap();
        fs::set_permissions(from.join("inner/run"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink("/nowhere", from.join("link")).unwrap();
        let to = directory.path().join("to");
        copy_tree(&from, &to).unwrap();
        assert_eq!(fs::read_link(to.join("link")).unwrap(), PathBuf::from("/nowhere"));
        assert_eq!(fs::metadata(to.join("inner/run")).unwrap().mode() & 0o777, 0o755);
        assert!(copy_tree(&from.join("link"), &to.join("link")).is_err());
    }

    #[test]
    fn the_trash_keeps_two_things_of_one_name_apart() {
        let directory = tempfile::tempdir().unwrap();
        let trash = directory.path().join("trash");
        let file = directory.path().join("file");
        for token in ["t1", "t2"] {
            fs::write(&file, token).unwrap();
            let kept = move_to_trash(&file, &trash, token).unwrap();
            assert_eq!(fs::read_to_string(kept).unwrap(), token);
        }
        fs::write(&file, "again").unwrap();
        assert!(move_to_trash(&file, &trash, "t1").is_err());
        assert!(move_to_trash(&file, &trash, "../out").is_err());
    }

    #[test]
    fn a_size_counts_every_entry_once() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("inner")).unwrap();
        fs::write(directory.path().join("inner/file"), vec![0; 5000]).unwrap();
        let size = directory_size(directory.path()).unwrap();
        assert_eq!(size.entries, 2);
        assert!(size.bytes >= 5000);
    }

    #[test]
    fn removing_what_is_not_there_is_no_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(remove_tree(&directory.path().join("none")).is_ok());
    }
}
