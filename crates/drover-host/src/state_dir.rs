//! The state directory: made private, and refused where it would not be safe or not be ours.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    CWD, FileType, Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstat, fstatfs, fstatvfs, lstat,
    open, openat2, statvfs,
};
use rustix::io::Errno;

/// Why a state directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirError {
    /// It belongs to somebody else.
    #[error("the state directory {} belongs to user {owner}, not to us", path.display())]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// The number of its owner.
        owner: u32,
    },
    /// Somebody else could put files into it.
    #[error("the state directory {} is writable by others (mode {mode:o})", path.display())]
    WritableByOthers {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A link on the way to it could be turned elsewhere by its owner.
    #[error("the state directory {} is reached through the link {}, which belongs to user {owner}", path.display(), link.display())]
    ForeignLink {
        /// The directory.
        path: PathBuf,
        /// The link.
        link: PathBuf,
        /// The number of the link's owner.
        owner: u32,
    },
    /// There is something else at its place.
    #[error("the state directory {} is not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// Locks and shared memory do not work there.
    #[error("the state directory {} is on {file_system}, a network file system, where locks between processes cannot be relied on", path.display())]
    Network {
        /// The directory.
        path: PathBuf,
        /// The kind of file system.
        file_system: &'static str,
    },
    /// Nothing can be written there.
    #[error("the state directory {} is on a read-only file system", path.display())]
    ReadOnly {
        /// The directory.
        path: PathBuf,
    },
    /// There is no room left.
    #[error("no space is left for the state directory {}", path.display())]
    Full {
        /// The directory.
        path: PathBuf,
    },
    /// The system refused.
    #[error("the state directory {} cannot be used: {source}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A folder of the state directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// Lock files.
    Locks,
    /// Sockets and fifos of running agents.
    Run,
    /// Checkouts of agents.
    Workspaces,
    /// What was moved away and can still be had back.
    Trash,
    /// Copies of the database.
    Backups,
    /// Briefs written for agents.
    Briefs,
    /// Output of commands that were run.
    Logs,
    /// Our extension for pi, as its agents load it.
    Extension,
}

impl Folder {
    /// The folder's name on disk.
    pub fn name(self) -> &'static str {
        match self {
            Self::Locks => "locks",
            Self::Run => "run",
            Self::Workspaces => "workspaces",
            Self::Trash => "trash",
            Self::Backups => "backups",
            Self::Briefs => "briefs",
            Self::Logs => "logs",
            Self::Extension => "extension",
        }
    }
}

/// A state directory that was checked.
#[derive(Debug, Clone)]
pub struct StateDir {
    path: PathBuf,
}

impl StateDir {
    /// Checks a state directory, making it first if there is none.
    ///
    /// The usual case costs four system calls; folders are made when they are first asked for.
    pub fn open(path: &Path) -> Result<Self, StateDirError> {
        let state = Self { path: path.to_owned() };
        let directory = match state.open_directory() {
            Err(Errno::NOENT) => {
                state.make(path)?;
                state.open_directory()
            }
            other => other,
        };
        let (directory, way) = directory.map_err(|err| state.error(err.into()))?;
        state.check(&directory, way)?;
        Ok(state)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file, which need not exist.
    pub fn database(&self) -> PathBuf {
        self.path.join("drover.db")
    }

    /// The file whose change says that a transaction was committed.
    pub fn wake(&self) -> PathBuf {
        self.path.join("wake")
    }

    /// A folder, made if it is missing.
    pub fn folder(&self, folder: Folder) -> Result<PathBuf, StateDirError> {
        let path = self.path.join(folder.name());
        if !path.is_dir() {
            self.make(&path)?;
        }
        Ok(path)
    }

    /// Says what an I/O error below the directory means.
    pub fn error(&self, source: io::Error) -> StateDirError {
        let path = self.path.clone();
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem => StateDirError::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StateDirError::Full { path }
            }
            io::ErrorKind::NotADirectory => StateDirError::NotADirectory { path },
            _ => StateDirError::Io { path, source },
        }
    }

    fn open_directory(&self) -> rustix::io::Result<(File, Way)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // One call says that no link is on the way; only with one (or an old kernel) do we walk.
        match openat2(CWD, &self.path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(directory) => Ok((File::from(directory), Way::Straight)),
            Err(Errno::LOOP | Errno::NOSYS | Errno::PERM) => {
                let directory = open(&self.path, flags, Mode::empty())?;
                Ok((File::from(directory), Way::PerhapsLinked))
            }
            Err(err) => Err(err),
        }
    }

    fn check(&self, directory: &File, way: Way) -> Result<(), StateDirError> {
        let path = || self.path.clone();
        let stat = fstat(directory).map_err(|err| self.error(err.into()))?;
        let us = rustix::process::geteuid().as_raw();
        if stat.st_uid != us {
            return Err(StateDirError::NotOurs { path: path(), owner: stat.st_uid });
        }
        if stat.st_mode & 0o022 != 0 {
            let mode = stat.st_mode & 0o7777;
            return Err(StateDirError::WritableByOthers { path: path(), mode });
        }
        if way == Way::PerhapsLinked {
            self.check_links(us)?;
        }
        let file_system = fstatfs(directory).map_err(|err| self.error(err.into()))?;
        if let Some(file_system) = network_file_system(file_system.f_type) {
            return Err(StateDirError::Network { path: path(), file_system });
        }
        let mount = fstatvfs(directory).map_err(|err| self.error(err.into()))?;
        if mount.f_flag.contains(StatVfsMountFlags::RDONLY) {
            return Err(StateDirError::ReadOnly { path: path() });
        }
        Ok(())
    }

    /// Walks the path as the kernel does. A link of ours or of the system's administrator is
    /// trusted; anybody else could turn theirs elsewhere.
    fn check_links(&self, us: u32) -> Result<(), StateDirError> {
        let mut ahead = parts_reversed(&self.path);
        let mut reached = PathBuf::new();
        while let Some(part) = ahead.pop() {
            if part == ".." {
                reached.pop();
                continue;
            }
            let next = reached.join(&part);
            let stat = lstat(&next).map_err(|err| self.error(err.into()))?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
                reached = next;
                continue;
            }
            if stat.st_uid != us && stat.st_uid != 0 {
                let (path, link) = (self.path.clone(), next);
                return Err(StateDirError::ForeignLink { path, link, owner: stat.st_uid });
            }
            // The directory was opened, so the kernel found no circle of links and neither do we.
            let target = std::fs::read_link(&next).map_err(|err| self.error(err))?;
            ahead.extend(parts_reversed(&target));
        }
        Ok(())
    }

    fn make(&self, path: &Path) -> Result<(), StateDirError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|source| self.error(source))?;
        drover_core::step::reached("file");
        Ok(())
    }
}

/// Whether the file system that holds a path has room for one more page; where it does not say, it has.
pub fn has_room(path: &Path) -> bool {
    statvfs(path).map_or(true, |it| it.f_bavail > 0)
}

/// How many bytes the file system that holds a path has left for us; `None` where it does not say.
pub fn room(path: &Path) -> Option<u64> {
    statvfs(path).ok().map(|it| it.f_bavail.saturating_mul(it.f_frsize))
}

/// Whether links may lie on the way to the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Straight,
    PerhapsLinked,
}

/// The parts of a path, last first; a `/` at its beginning starts the walk anew when joined.
fn parts_reversed(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|it| it.as_os_str().to_owned()).collect()
}

/// The name of a network file system, by the number the kernel gives its kind.
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers have 32 bits; the kernel's type for them varies by machine"
)]
fn network_file_system(kind: impl Into<i64>) -> Option<&'static str> {
    let kind: i64 = kind.into();
    Some(match kind as u32 {
        0x0000_6969 => "NFS",
        0x0000_517B | 0xFF53_4D42 | 0xFE53_4D42 => "SMB",
        0x0102_1997 => "9p",
        0x5346_414F | 0x6B41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x00C3_6400 => "Ceph",
        0x0BD0_0BD0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x0116_1970 => "GFS2",
        0x7461_636F => "OCFS2",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_missing_directory_is_made_private_with_its_folders() {
        let outer = tempfile::tempdir().unwrap();
        let state = StateDir::open(&outer.path().join("a/b")).unwrap();
        let locks = state.folder(Folder::Locks).unwrap();
        for path in [state.path(), &locks] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert!(StateDir::open(state.path()).is_ok());
    }

    #[test]
    fn a_directory_others_can_write_is_refused() {
        let outer = tempfile::tempdir().unwrap();
        std::fs::set_permissions(outer.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let error = StateDir::open(outer.path()).unwrap_err();
        assert!(matches!(error, StateDirError::WritableByOthers { mode: 0o777, .. }));
    }

    #[test]
    fn a_file_in_its_place_is_named_as_such() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("file");
        std::fs::write(&path, "").unwrap();
        assert!(matches!(StateDir::open(&path), Err(StateDirError::NotADirectory { .. })));
    }

    #[test]
    fn a_link_of_ours_is_followed() {
        let outer = tempfile::tempdir().unwrap();
        let real = outer.path().join("real");
        StateDir::open(&real).unwrap();
        let link = outer.path().join("link");
        symlink(&real, &link).unwrap();
        assert!(StateDir::open(&link).is_ok());
        assert!(StateDir::open(&link.join("below")).is_ok());
        symlink("../real/../link", real.join("chain")).unwrap();
        assert!(StateDir::open(&real.join("chain")).is_ok());
    }

    #[test]
    fn a_link_of_somebody_else_is_refused() {
        let outer = tempfile::tempdir().unwrap();
        let real = outer.path().join("real");
        StateDir::open(&real).unwrap();
        let link = outer.path().join("link");
        symlink(&real, &link).unwrap();
        // Only the administrator can make the case at all.
        if std::os::unix::fs::lchown(&link, Some(12_345), None).is_err() {
            return;
        }
        assert!(matches!(
            StateDir::open(&link),
            Err(StateDirError::ForeignLink { owner: 12_345, .. })
        ));
        let indirect = outer.path().join("indirect");
        symlink(&link, &indirect).unwrap();
        assert!(matches!(StateDir::open(&indirect), Err(StateDirError::ForeignLink { .. })));
        std::os::unix::fs::lchown(&real, Some(12_345), None).unwrap();
        assert!(matches!(StateDir::open(&real), Err(StateDirError::NotOurs { owner: 12_345, .. })));
    }

    /// Fault G-12.
    #[test]
    fn network_file_systems_are_named() {
        assert_eq!(network_file_system(0x6969_i64), Some("NFS"));
        assert_eq!(network_file_system(0xFF53_4D42_i64), Some("SMB"));
        assert_eq!(network_file_system(0xEF53_i64), None);
    }
}
