//! Where an agent serves its socket: in the state directory, or in a private folder where that path is too long.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use sha2::{Digest as _, Sha256};

use super::error::ControlError;
use crate::random::hex;

/// What a socket's address has room for on every system.
const MOST_BYTES: usize = 103;

/// Room for the name under which a socket is made before it gets its own: a dot and a process number.
const BEHIND: usize = 9;

/// The path of an agent's socket, the same on every call.
pub fn socket_path(state: &Path, agent_uid: &str) -> PathBuf {
    let usual = state.join("run").join(format!("pi-{}", short(&[agent_uid.as_bytes()], 12)));
    if usual.as_os_str().len() + BEHIND <= MOST_BYTES {
        return usual;
    }
    let both = short(&[state.as_os_str().as_bytes(), agent_uid.as_bytes()], 24);
    PathBuf::from(format!("/tmp/drover-{}/pi-{both}", geteuid().as_raw()))
}

/// Makes the folder of a socket, and refuses one in which somebody else could put another.
pub fn make_folder(socket: &Path) -> Result<(), ControlError> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let unsent = |source| ControlError::Unsent { path: folder.to_owned(), source };
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(unsent)?;
    let metadata = folder.symlink_metadata().map_err(unsent)?;
    let why = if !metadata.is_dir() {
        "is a link"
    } else if metadata.uid() != geteuid().as_raw() {
        "belongs to somebody else"
    } else if metadata.mode() & 0o077 != 0 {
        "is open to others"
    } else {
        return Ok(());
    };
    Err(ControlError::UnsafeFolder { path: folder.to_owned(), why })
}

fn short(parts: &[&[u8]], digits: usize) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    let mut text = hex(&hasher.finalize());
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Fault I-01.
    #[test]
    fn a_socket_has_a_path_that_every_system_takes_however_long_the_state_directory_is() {
        let uid = "019f0000-0000-7000-8000-000000000000";
        for length in [1, 60, 75, 76, 77, 78, 79, 80, 120, 400] {
            let state = PathBuf::from(format!("/{}", "s".repeat(length)));
            let path = socket_path(&state, uid);
            assert!(path.as_os_str().len() + BEHIND <= MOST_BYTES, "{}", path.display());
            assert_eq!(path, socket_path(&state, uid));
            assert_ne!(path, socket_path(&state, "another"));
        }
        let (one, other) = ("a".repeat(200), "b".repeat(200));
        assert_ne!(socket_path(Path::new(&one), uid), socket_path(Path::new(&other), uid));
        assert!(socket_path(Path::new("/short"), uid).starts_with("/short/run"));
    }

    #[test]
    fn the_folder_is_private_and_one_that_others_can_reach_is_refused() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("run");
        make_folder(&folder.join("s")).unwrap();
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(matches!(
            make_folder(&folder.join("s")),
            Err(ControlError::UnsafeFolder { why: "is open to others", .. })
        ));
        symlink(&folder, outer.path().join("link")).unwrap();
        let linked = make_folder(&outer.path().join("link/s"));
        assert!(matches!(linked, Err(ControlError::UnsafeFolder { why: "is a link", .. })));
    }
}
