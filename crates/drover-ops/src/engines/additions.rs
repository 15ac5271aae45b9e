//! What a launch of a known chat agent adds to its command line and its environment.

use std::path::{Path, PathBuf};

use drover_store::agents::Agent;

use super::claude;
use super::codex;
use super::kind::Kind;
use super::launch::{Additions, Launch};
use super::pi;
use crate::error::Result;

/// What a launch adds, after it started what runs beside the program; nothing for an engine that Drover does not
/// know from inside.
pub(crate) fn additions(launch: &Launch<'_>) -> Result<Additions> {
    Ok(match Kind::of(&launch.agent.profile.engine) {
        Some(Kind::Pi) => pi::additions(launch)?,
        Some(Kind::Claude) => claude::additions(launch),
        Some(Kind::Codex) => codex::additions(launch),
        None => Additions::default(),
    })
}

/// Whether an engine is told what this flag of ours says; otherwise it is recorded only.
pub(crate) fn passes_on(engine: &str, flag: &str) -> bool {
    match Kind::of(engine) {
        Some(Kind::Pi) => pi::passes_on(flag),
        Some(Kind::Codex) => codex::passes_on(flag),
        Some(Kind::Claude) => claude::passes_on(flag),
        None => false,
    }
}

/// Why an agent that was just launched lacks the channel that its engine should have; none if it has it.
pub(crate) fn missing_channel(state: &Path, agent: &Agent) -> Option<String> {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Codex) => codex::why_not_served(state, &agent.uid),
        Some(Kind::Pi | Kind::Claude) | None => None,
    }
}

/// The socket through which an agent is spoken to, where its engine serves one.
pub(crate) fn socket(state: &Path, agent: &Agent) -> Option<PathBuf> {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Codex) => Some(codex::socket(state, &agent.uid)),
        Some(Kind::Pi) => Some(pi::socket(state, agent)),
        Some(Kind::Claude) | None => None,
    }
}

/// Why an agent that somebody else has started lacks the channel of its engine; none if it has it, or
/// its engine has none.
pub(crate) fn unserved(state: &Path, agent: &Agent) -> Option<String> {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Codex) => codex::why_not_served(state, &agent.uid),
        Some(Kind::Pi) => pi::why_not_served(state, agent),
        Some(Kind::Claude) | None => None,
    }
}

/// The line with which a person starts an agent's program so that it has its channel, where there is one.
pub(crate) fn by_hand(state: &Path, agent: &Agent) -> Result<Option<String>> {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Pi) => pi::by_hand(state, agent).map(Some),
        Some(Kind::Codex | Kind::Claude) | None => Ok(None),
    }
}

/// Takes away the files that an agent which is closed may have left beside its program.
pub(crate) fn forget(state: &Path, agent: &Agent) {
    match Kind::of(&agent.profile.engine) {
        Some(Kind::Codex) => codex::forget(state, &agent.uid),
        Some(Kind::Pi) => pi::forget(state, agent),
        Some(Kind::Claude) | None => {}
    }
}
