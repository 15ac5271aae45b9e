//! Codex: an app-server of its own for each agent, which its terminal program is connected to.

pub(crate) mod approvals;
mod command;
mod conversation;
mod follow;
mod serve;
mod start;

use std::path::{Path, PathBuf};

use drover_host::state_dir::Folder;

pub(crate) use conversation::{Shown, shown};
pub(crate) use follow::RETRIES;
pub use serve::serve;
pub(super) use start::additions;

/// Whether Codex is told what this flag of ours says.
pub(super) fn passes_on(flag: &str) -> bool {
    ["--model", "--thinking", "--sandbox", "--permission", "--unattended"].contains(&flag)
}

/// The socket of an agent's app-server.
pub(crate) fn socket(state: &Path, uid: &str) -> PathBuf {
    state.join(Folder::Run.name()).join(format!("{uid}.codex"))
}

/// Where an agent's app-server, and what watches over it, write what goes wrong.
fn log(state: &Path, uid: &str) -> PathBuf {
    state.join(Folder::Run.name()).join(format!("{uid}.codex.log"))
}

/// Whether an agent's app-server is there: what it left behind is taken away when it ends.
pub(crate) fn is_served(state: &Path, uid: &str) -> bool {
    std::fs::symlink_metadata(socket(state, uid)).is_ok()
}

/// Why an agent that was just launched has no app-server; none if it has one.
pub(crate) fn why_not_served(state: &Path, uid: &str) -> Option<String> {
    if is_served(state, uid) {
        return None;
    }
    let said = std::fs::read_to_string(log(state, uid)).unwrap_or_default();
    let last = said.lines().rev().find(|it| !it.trim().is_empty());
    Some(last.unwrap_or("its program did not start one").trim().to_owned())
}

/// Takes away what the app-server of an agent that is closed may have left.
pub(crate) fn forget(state: &Path, uid: &str) {
    for path in [socket(state, uid), log(state, uid)] {
        // Mostly it is gone already.
        let _ = std::fs::remove_file(path);
    }
}
