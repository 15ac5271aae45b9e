//! Directories that somebody names: there, readable, and known by their one true path.

use std::path::{Path, PathBuf};

use drover_host::{env, files};

use crate::error::{AgentError, Result, at_file};

/// A directory that can be used, by the path that its processes see.
pub(crate) fn checked(path: &Path) -> Result<PathBuf> {
    let refused = |why: &str| AgentError::Directory { path: path.to_owned(), why: why.to_owned() };
    let real = path.canonicalize().map_err(|err| refused(&err.to_string().to_lowercase()))?;
    if !real.is_dir() {
        return Err(refused("it is not a directory").into());
    }
    if !files::is_enterable(&real) {
        return Err(refused("it may not be read and entered").into());
    }
    text(&real)?;
    Ok(real)
}

/// The directory the caller stands in.
pub(crate) fn current() -> Result<PathBuf> {
    checked(&env::current_dir().map_err(at_file("."))?)
}

/// A path as it is stored, which must be text.
pub(crate) fn text(path: &Path) -> Result<String> {
    let refused = || AgentError::Directory {
        path: path.to_owned(),
        why: "its path is not valid UTF-8".to_owned(),
    };
    Ok(path.to_str().ok_or_else(refused)?.to_owned())
}
