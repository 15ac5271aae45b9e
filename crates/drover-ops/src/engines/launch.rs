//! A launch of a known chat agent, and what is added to it.

use std::ffi::OsString;
use std::path::Path;

use drover_host::env::Env;
use drover_store::agents::Agent;

/// A launch that is about to happen; the agent's row says all that was chosen for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch<'a> {
    /// The agent.
    pub(crate) agent: &'a Agent,
    /// The state directory.
    pub(crate) state: &'a Path,
    /// Drover's own binary, for what the agent is to call.
    pub(crate) program: &'a Path,
    /// Whether the directory is a workspace that Drover made, and policy lets agents trust those.
    pub(crate) trusts_directory: bool,
    /// What the agent's sandbox is granted, in its engine's words.
    pub(crate) granted: &'a [String],
    /// The environment that the program will have.
    pub(crate) env: &'a Env,
}

/// What is added to a command as the profile has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Additions {
    /// The command to run in place of the profile's.
    pub(crate) command: Option<Vec<String>>,
    /// Words behind its own.
    pub(crate) arguments: Vec<String>,
    /// Variables.
    pub(crate) variables: Vec<(String, OsString)>,
}
