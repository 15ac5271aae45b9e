//! Our extension in a pi that a person starts: a file that leads to the copy Drover keeps, or holds it.

use std::path::{Path, PathBuf};

use drover_host::control::extension;
use drover_host::env::Env;
use drover_host::state_dir::{Folder, StateDir};
use serde_json::Value;

use super::place;
use crate::error::{Result, at_file};

/// The file that leads to the copy in the state directory, which each version keeps current.
pub(super) fn leading(env: &Env) -> Result<String> {
    let kept = folder(&env.state_dir()?).join("drover.ts");
    let kept = Value::from(kept.to_string_lossy().into_owned());
    Ok(format!(
        "// Drover's extension, kept by Drover itself.\nexport {{ default }} from {kept};\n{}",
        told()?
    ))
}

/// The file that holds all of it.
pub(super) fn copied() -> Result<String> {
    Ok(format!("{}{}", extension::SOURCE, told()?))
}

/// Whether the copy is where the file leads.
pub(super) fn is_kept(env: &Env) -> Result<bool> {
    Ok(folder(&env.state_dir()?).join("drover.ts").is_file())
}

/// Puts the copy where the file leads.
pub(super) fn keep(env: &Env) -> Result<()> {
    let state = StateDir::open(&env.state_dir()?)?;
    let folder = folder(state.path());
    extension::install(&folder).map(|_| ()).map_err(at_file(folder))
}

fn folder(state: &Path) -> PathBuf {
    state.join(Folder::Extension.name())
}

/// What an agent of ours gets from its launch, and a person's pi does not.
fn told() -> Result<String> {
    Ok(format!("process.env.DROVER_BINARY ??= {};\n", Value::from(place::program()?)))
}
