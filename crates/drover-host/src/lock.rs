//! Locks between processes: `flock` on a file, so that a lock dies with its holder.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::random::hex;

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody holds it and did not let go in time.
    #[error("{name} is locked{}", by(*holder))]
    Busy {
        /// The lock.
        name: String,
        /// The process that took it last, as it wrote itself down.
        holder: Option<u32>,
    },
    /// The lock file could not be opened or locked.
    #[error("the lock {} could not be taken: {source}", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The locks below one directory.
#[derive(Debug, Clone)]
pub struct Locks {
    directory: PathBuf,
}

/// A held lock; dropping it lets go.
#[derive(Debug)]
#[must_use = "a lock that is dropped at once protects nothing"]
pub struct Lock {
    _file: File,
}

impl Locks {
    /// Locks as files of an existing directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Takes a lock, waiting up to `timeout` for its holder.
    ///
    /// The wait is a blocked thread, not a poll: it wakes the moment the holder lets go. A thread
    /// whose caller has given up lets go at once when its turn comes.
    pub fn lock(&self, name: &str, timeout: Duration) -> Result<Lock, LockError> {
        if let Some(lock) = self.try_lock(name)? {
            return Ok(lock);
        }
        let path = self.path(name);
        let file = open(&path)?;
        let (sender, receiver) = mpsc::sync_channel(0);
        let in_thread = path.clone();
        std::thread::spawn(move || {
            let result = retry(|| flock(&file, FlockOperation::LockExclusive));
            let answer = match result {
                Ok(()) => Ok(file),
                Err(err) => Err(LockError::Io { path: in_thread, source: err.into() }),
            };
            // No receiver: the caller gave up, and dropping the file lets go.
            let _ = sender.send(answer);
        });
        match receiver.recv_timeout(timeout) {
            Ok(answer) => answer.map(held),
            Err(_) => Err(LockError::Busy { name: name.to_owned(), holder: holder(&path) }),
        }
    }

    /// Takes a lock if nobody holds it.
    pub fn try_lock(&self, name: &str) -> Result<Option<Lock>, LockError> {
        let path = self.path(name);
        let file = open(&path)?;
        match retry(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => Ok(Some(held(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(err) => Err(LockError::Io { path, source: err.into() }),
        }
    }

    /// The process written down in a lock, for a message; it may have let go since.
    pub fn holder(&self, name: &str) -> Option<u32> {
        holder(&self.path(name))
    }

    fn path(&self, name: &str) -> PathBuf {
        let is_plain = name.len() <= 100
            && name.starts_with(|it: char| it.is_ascii_alphanumeric())
            && name.chars().all(|it| it.is_ascii_alphanumeric() || "._-".contains(it));
        // No plain name can begin with `=`, so the two kinds never meet.
        let file = if is_plain {
            format!("{name}.lock")
        } else {
            format!("={}.lock", hex(&Sha256::digest(name.as_bytes())))
        };
        self.directory.join(file)
    }
}

fn open(path: &Path) -> Result<File, LockError> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(|source| LockError::Io { path: path.to_owned(), source })
}

fn held(mut file: File) -> Lock {
    // Only messages read it: a failure to write it down does not make the lock weaker.
    let _ = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()));
    drover_core::step::reached("file");
    Lock { _file: file }
}

fn holder(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(path).ok()?.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn by(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" by process {pid}"))
}

fn retry(call: impl Fn() -> rustix::io::Result<()>) -> rustix::io::Result<()> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locks() -> (tempfile::TempDir, Locks) {
        let directory = tempfile::tempdir().unwrap();
        let locks = Locks::new(directory.path());
        (directory, locks)
    }

    #[test]
    fn a_held_lock_is_refused_and_names_its_holder() {
        let (_directory, locks) = locks();
        let held = locks.try_lock("pane").unwrap();
        assert!(held.is_some());
        assert!(locks.try_lock("pane").unwrap().is_none());
        let error = locks.lock("pane", Duration::from_millis(1)).unwrap_err();
        let expected = format!("pane is locked by process {}", std::process::id());
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_waiter_gets_the_lock_when_its_holder_lets_go() {
        let (_directory, locks) = locks();
        let held = locks.try_lock("pane").unwrap();
        let waiter = {
            let locks = locks.clone();
            std::thread::spawn(move || locks.lock("pane", Duration::from_secs(30)).is_ok())
        };
        drop(held);
        assert!(waiter.join().unwrap());
    }

    #[test]
    fn a_waiter_that_gave_up_does_not_keep_the_lock() {
        let (_directory, locks) = locks();
        let held = locks.try_lock("pane").unwrap();
        assert!(locks.lock("pane", Duration::ZERO).is_err());
        drop(held);
        assert!(locks.lock("pane", Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn any_text_names_a_lock_inside_the_directory() {
        let (directory, locks) = locks();
        for name in ["../out", "/etc/passwd", "", "a/b", "=x", &"long".repeat(100)] {
            let path = locks.path(name);
            assert_eq!(path.parent(), Some(directory.path()));
            let _lock = locks.try_lock(name).unwrap().unwrap();
        }
        assert_ne!(locks.path("a/b"), locks.path("a-b"));
    }
}
