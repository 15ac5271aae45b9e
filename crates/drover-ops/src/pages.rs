//! Manual pages as files.

use std::path::{Path, PathBuf};

use drover_host::files;

use crate::error::{PageError, Result, at_file};

/// The first line of each page of ours, by which it is known again.
pub const MARK: &str = r#".\" Written by drover man; a newer drover replaces it."#;

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The name of its file.
    pub name: String,
    /// What it says, marked as ours.
    pub text: String,
}

/// Writes every page, or, in a preview, only says where; a file of somebody else is never replaced.
pub fn write(directory: &Path, pages: &[Page], is_preview: bool) -> Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = pages.iter().map(|it| directory.join(&it.name)).collect();
    for path in &paths {
        check_ours(path)?;
    }
    if !is_preview {
        std::fs::create_dir_all(directory).map_err(at_file(directory))?;
        for (page, path) in pages.iter().zip(&paths) {
            files::write_public(path, page.text.as_bytes()).map_err(at_file(path))?;
        }
    }
    Ok(paths)
}

fn check_ours(path: &Path) -> Result<()> {
    let kept = match std::fs::read(path) {
        Ok(kept) => kept,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(err) => return Err(at_file(path)(err)),
    };
    if kept.starts_with(MARK.as_bytes()) {
        Ok(())
    } else {
        Err(PageError::Foreign { path: path.to_owned() }.into())
    }
}
