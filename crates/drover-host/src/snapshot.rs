//! A private copy of files that another program may be writing, all as they stood at one moment.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use drover_core::step;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::random::hex;

/// How often a copy is begun anew because the files changed meanwhile.
const TRIES: usize = 5;

/// The copy; it goes when this is dropped.
#[derive(Debug)]
pub struct Snapshot {
    directory: TempDir,
    name: PathBuf,
    digest: String,
}

/// Why files were not copied.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It is a directory, a fifo or a device.
    #[error("{} is no regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// Another program kept writing.
    #[error("{} was written to during each of {TRIES} tries to copy it", path.display())]
    Restless {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Snapshot {
    /// Copies a file, and those beside it whose names are its own with an ending, into a private
    /// folder below `directory`.
    ///
    /// The sources are only read. Each is read again after the last was copied: when all are what
    /// they were, there was a moment at which they stood so together.
    pub fn take(file: &Path, endings: &[&str], directory: &Path) -> Result<Self, SnapshotError> {
        let failed = |source| SnapshotError::Io { path: file.to_owned(), source };
        // Asked before it is opened: a fifo would hold us until somebody writes.
        if !fs::metadata(file).map_err(failed)?.is_file() {
            return Err(SnapshotError::NotAFile { path: file.to_owned() });
        }
        let name = file.file_name().map(PathBuf::from).unwrap_or_default();
        for _ in 0..TRIES {
            let private = tempfile::Builder::new().prefix(".drover-").tempdir_in(directory);
            let private = private
                .map_err(|source| SnapshotError::Io { path: directory.to_owned(), source })?;
            let mut seen = Vec::new();
            for ending in [""].iter().chain(endings) {
                let (from, to) =
                    (beside(file, ending), beside(&private.path().join(&name), ending));
                seen.push((copied(&from, &to)?, from));
            }
            step::reached("file");
            let mut is_same = true;
            for (digest, from) in &seen {
                is_same &= *digest == copied(from, Path::new("/dev/null"))?;
            }
            let digest = seen.into_iter().next().and_then(|it| it.0);
            if let Some(digest) = digest.filter(|_| is_same) {
                return Ok(Self { directory: private, name, digest });
            }
        }
        Err(SnapshotError::Restless { path: file.to_owned() })
    }

    /// The copy of the file itself.
    pub fn file(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// SHA-256 of the file itself, in hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Copies a file and returns the digest of what was copied; none where there is no file.
fn copied(from: &Path, to: &Path) -> Result<Option<String>, SnapshotError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SnapshotError::Io { path, source }
    };
    let mut source = match File::open(from) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed(from))?,
    };
    let mut target = File::create(to).map_err(failed(to))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = source.read(&mut buffer).map_err(failed(from))?;
        let bytes = buffer.get(..read).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(Some(hex(&hasher.finalize())));
        }
        hasher.update(bytes);
        target.write_all(bytes).map_err(failed(to))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_what_stands_beside_and_goes_when_it_is_dropped() {
        let outer = tempfile::tempdir().unwrap();
        let file = outer.path().join("it.db");
        fs::write(&file, "one").unwrap();
        fs::write(outer.path().join("it.db-wal"), "two").unwrap();
        let snapshot = Snapshot::take(&file, &["-wal", "-journal"], outer.path()).unwrap();
        let copy = snapshot.file();
        assert_eq!(fs::read(&copy).unwrap(), b"one");
        assert_eq!(fs::read(beside(&copy, "-wal")).unwrap(), b"two");
        assert!(!beside(&copy, "-journal").exists());
        assert_eq!(snapshot.digest(), crate::files::digest(&file).unwrap());
        drop(snapshot);
        assert!(!copy.exists());
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_being_opened() {
        let outer = tempfile::tempdir().unwrap();
        let fifo = outer.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        for path in [outer.path(), &fifo] {
            let refused = Snapshot::take(path, &[], outer.path()).unwrap_err();
            assert!(matches!(refused, SnapshotError::NotAFile { .. }), "{refused}");
        }
        let missing = Snapshot::take(&outer.path().join("none"), &[], outer.path()).unwrap_err();
        assert!(matches!(missing, SnapshotError::Io { .. }), "{missing}");
    }
}
