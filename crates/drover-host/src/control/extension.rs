//! Our extension for pi: its text, its version, and its file in the state directory.

use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// The version of the extension that this program holds.
pub const VERSION: u64 = 1;

/// The extension's text.
pub const SOURCE: &str = include_str!("../../../../extension/drover.ts");

/// What stands before the version in the first line.
const MARK: &str = "// drover-extension ";

/// Puts the extension into a folder unless it is there, and says where it is.
pub fn install(folder: &Path) -> io::Result<PathBuf> {
    let file = folder.join("drover.ts");
    let is_there = std::fs::read(&file).is_ok_and(|it| it == SOURCE.as_bytes());
    if !is_there {
        files::make_private_directory(folder)?;
        files::write_atomic(&file, SOURCE.as_bytes())?;
    }
    Ok(file)
}

/// The version of an extension of ours by its text; none if it is not ours.
pub fn version_of(text: &str) -> Option<u64> {
    text.lines().next()?.strip_prefix(MARK)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_carries_the_version_that_the_program_expects() {
        assert_eq!(version_of(SOURCE), Some(VERSION));
        assert!(SOURCE.contains(&format!("export const EXTENSION = {VERSION};")));
        assert_eq!(version_of("// something else"), None);
        assert_eq!(version_of(""), None);
    }

    /// Fault I-09.
    #[test]
    fn a_link_in_the_place_of_the_file_is_replaced_and_never_written_through() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("extension");
        std::fs::create_dir(&folder).unwrap();
        let elsewhere = outer.path().join("mine.ts");
        std::fs::write(&elsewhere, "mine").unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.join("drover.ts")).unwrap();
        let file = install(&folder).unwrap();
        assert!(file.symlink_metadata().unwrap().is_file());
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "mine");
    }

    #[test]
    fn an_older_file_is_replaced_and_the_same_is_left_alone() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("extension");
        let file = install(&folder).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        assert_eq!(install(&folder).unwrap(), file);
        assert_eq!(file.metadata().unwrap().modified().unwrap(), written);
        std::fs::write(&file, "// drover-extension 0\n").unwrap();
        install(&folder).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), SOURCE);
    }
}
