//! A file of the person's own that we may change: looked at first, replaced whole, with its mode kept.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use drover_core::step;

/// The most that such a file may have.
const MOST_BYTES: u64 = 64 << 20;

/// Why a file is left alone.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It is a link, which may lead to somebody's own copy.
    #[error("{} is a link to {}", path.display(), to.display())]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// It is a directory or a device.
    #[error("{} is no file", path.display())]
    NoFile {
        /// What is there.
        path: PathBuf,
    },
    /// It is another user's.
    #[error("{} belongs to the user with the number {owner}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Its mode says that it is not to be changed.
    #[error("{} is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// It has more than is read.
    #[error("{} has more than 64 MiB", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else wrote it while we were at work.
    #[error("{} was changed by somebody else just now", path.display())]
    Moved {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What stands at a path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What is in the file.
    pub bytes: Vec<u8>,
    mode: u32,
    group: u32,
    is_link: bool,
}

/// How a link is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It stands in the way.
    Refused,
    /// Its text is read, and the link itself is replaced.
    Replaced,
}

/// Reads a file that we may change; `None` where nothing is.
pub fn look(path: &Path, links: Links) -> Result<Option<Seen>, TargetError> {
    let failed = |source| TargetError::Io { path: path.to_owned(), source };
    let is_nothing = |err: &io::Error| {
        [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&err.kind())
    };
    let itself = match path.symlink_metadata() {
        Err(err) if is_nothing(&err) && !lies_below_a_file(path) => return Ok(None),
        other => other.map_err(failed)?,
    };
    let is_link = itself.is_symlink();
    if is_link && links == Links::Refused {
        let to = fs::read_link(path).map_err(failed)?;
        return Err(TargetError::Link { path: path.to_owned(), to });
    }
    let metadata = match path.metadata() {
        // A link that leads nowhere is replaced like an empty file.
        Err(err) if is_link && is_nothing(&err) => {
            return Ok(Some(Seen { bytes: Vec::new(), mode: 0o600, group: itself.gid(), is_link }));
        }
        other => other.map_err(failed)?,
    };
    check(path, &metadata)?;
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|it| it > MOST_BYTES) {
        return Err(TargetError::TooLong { path: path.to_owned() });
    }
    Ok(Some(Seen { bytes, mode: metadata.mode() & 0o7777, group: metadata.gid(), is_link }))
}

/// Where a link leads; `None` where no link is.
pub fn link_target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// Takes a link away, and nothing that it leads to.
pub fn remove_link(path: &Path) -> Result<(), TargetError> {
    let failed = |source| TargetError::Io { path: path.to_owned(), source };
    if link_target(path).is_none() {
        return Err(TargetError::Moved { path: path.to_owned() });
    }
    fs::remove_file(path).map_err(failed)?;
    step::reached("file");
    Ok(())
}

/// What lies in a folder, in order; nothing where no folder is.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, TargetError> {
    let failed = |source| TargetError::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Err(err)
            if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&err.kind()) =>
        {
            return Ok(Vec::new());
        }
        other => other.map_err(failed)?,
    };
    let paths: io::Result<Vec<PathBuf>> = entries.map(|it| Ok(it?.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// How many directories have to be made before a file can stand there.
pub fn missing_directories(path: &Path) -> usize {
    path.ancestors().skip(1).take_while(|it| it.symlink_metadata().is_err()).count()
}

/// Puts a text where `before` was seen; the old text or the new one stands there, never half.
pub fn write(path: &Path, bytes: &[u8], before: Option<&Seen>) -> Result<(), TargetError> {
    let failed = |source| TargetError::Io { path: path.to_owned(), source };
    let directory = path.parent().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let builder = || tempfile::Builder::new().prefix(".drover-").tempfile_in(directory);
    let mut file = builder().map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    if let Some(seen) = before {
        // A group that is not ours to give is not worth a failure.
        let _ = std::os::unix::fs::chown(file.path(), None, Some(seen.group));
        file.as_file().set_permissions(Permissions::from_mode(seen.mode)).map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    unmoved(path, before)?;
    file.persist(path).map_err(|err| failed(err.error))?;
    step::reached("file");
    Ok(())
}

/// Takes away what was seen, and the directories above it that are empty then, at most so many.
pub fn remove(path: &Path, before: &Seen, directories: usize) -> Result<(), TargetError> {
    unmoved(path, Some(before))?;
    let failed = |source| TargetError::Io { path: path.to_owned(), source };
    fs::remove_file(path).map_err(failed)?;
    step::reached("file");
    for directory in path.ancestors().skip(1).take(directories) {
        if fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

fn unmoved(path: &Path, before: Option<&Seen>) -> Result<(), TargetError> {
    let links = match before {
        Some(seen) if seen.is_link => Links::Replaced,
        Some(_) | None => Links::Refused,
    };
    if look(path, links)?.as_ref() == before {
        Ok(())
    } else {
        Err(TargetError::Moved { path: path.to_owned() })
    }
}

fn check(path: &Path, metadata: &Metadata) -> Result<(), TargetError> {
    let path = path.to_owned();
    if !metadata.is_file() {
        return Err(TargetError::NoFile { path });
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(TargetError::Foreign { path, owner: metadata.uid() });
    }
    if metadata.mode() & 0o200 == 0 {
        return Err(TargetError::ReadOnly { path });
    }
    Ok(())
}

/// Whether a directory above it is no directory at all.
fn lies_below_a_file(path: &Path) -> bool {
    path.ancestors().skip(1).find_map(|it| it.metadata().ok()).is_some_and(|it| !it.is_dir())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn name(result: Result<Option<Seen>, TargetError>) -> String {
        match result {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(seen)) => String::from_utf8(seen.bytes).unwrap(),
            Err(err) => err.to_string(),
        }
    }

    #[test]
    fn what_is_no_plain_file_of_ours_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("directory")).unwrap();
        fs::write(at("file"), "text").unwrap();
        fs::write(at("fixed"), "text").unwrap();
        fs::set_permissions(at("fixed"), Permissions::from_mode(0o400)).unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        let check = |path: &str, links, expected: &str| {
            let found = name(look(&at(path), links));
            assert!(found.ends_with(expected), "{path}: {found}");
        };
        check("none", Links::Refused, "nothing");
        check("none/below", Links::Refused, "nothing");
        check("file", Links::Refused, "text");
        check("file/below", Links::Refused, "Not a directory (os error 20)");
        check("directory", Links::Refused, "is no file");
        check("fixed", Links::Refused, "is read-only");
        check("link", Links::Refused, "file");
        check("link", Links::Replaced, "text");
        check("dangling", Links::Replaced, "");
    }

    #[test]
    fn a_written_file_keeps_its_mode_and_a_link_itself_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "one").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o640)).unwrap();
        symlink(at("file"), at("link")).unwrap();
        let seen = look(&at("file"), Links::Refused).unwrap();
        write(&at("file"), b"two", seen.as_ref()).unwrap();
        assert_eq!(fs::metadata(at("file")).unwrap().mode() & 0o777, 0o640);
        let moved = write(&at("file"), b"three", seen.as_ref()).unwrap_err();
        assert!(matches!(moved, TargetError::Moved { .. }));
        let seen = look(&at("link"), Links::Replaced).unwrap();
        write(&at("link"), b"other", seen.as_ref()).unwrap();
        assert!(!at("link").symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "two");
    }

    #[test]
    fn what_was_made_for_a_file_goes_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/file");
        assert_eq!(missing_directories(&path), 2);
        write(&path, b"text", None).unwrap();
        let seen = look(&path, Links::Refused).unwrap().unwrap();
        remove(&path, &seen, 2).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
