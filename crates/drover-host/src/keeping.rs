//! What a folder keeps: its entries with their size and when they came.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::files::{Size, directory_size};

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where it is.
    pub path: PathBuf,
    /// When it was last written.
    pub at: Timestamp,
    /// How much it holds.
    pub size: Size,
}

/// The entries of a folder, oldest first; none where there is no folder. What vanishes meanwhile is left out.
pub fn entries(folder: &Path) -> io::Result<Vec<Kept>> {
    let listed = match fs::read_dir(folder) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut kept = Vec::new();
    for entry in listed {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        let Some(at) = metadata.modified().ok().and_then(|it| Timestamp::try_from(it).ok()) else {
            continue;
        };
        let path = entry.path();
        let size = if metadata.is_dir() {
            directory_size(&path).unwrap_or_default()
        } else {
            Size { bytes: metadata.len(), entries: 1 }
        };
        kept.push(Kept { path, at, size });
    }
    kept.sort_by(|one, other| (one.at, &one.path).cmp(&(other.at, &other.path)));
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_oldest_first_and_a_missing_folder_keeps_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(entries(&directory.path().join("none")).unwrap(), []);
        for (name, seconds) in [("new", 2_000_000_000), ("old", 1_000_000_000)] {
            let file = fs::File::create(directory.path().join(name)).unwrap();
            let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(at).unwrap();
        }
        let kept = entries(directory.path()).unwrap();
        let names: Vec<_> = kept.iter().map(|it| it.path.file_name().unwrap()).collect();
        assert_eq!(names, ["old", "new"]);
    }
}
