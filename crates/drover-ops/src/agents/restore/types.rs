//! Who is brought back, and what came of it.

use drover_core::duration::Limit;
use drover_store::projects::Project;

use crate::agents::observe::Observed;
use crate::error::Result;

/// Whom to bring back.
#[derive(Debug, Clone)]
pub struct Restore {
    /// The agents: `<name>` or `<project>/<name>`.
    pub names: Vec<String>,
    /// Every agent that has ended, of the project that is named or of all.
    pub all: bool,
    /// How long each may take until it is seen to have come up.
    pub timeout: Limit,
}

/// An agent that was to be brought back.
#[derive(Debug)]
pub struct Restored {
    /// Where.
    pub project: Project,
    /// The agent as it is now.
    pub observed: Observed,
    /// What came of it.
    pub came: Result<Back>,
}

/// An agent that is back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Back {
    /// What is not as it was.
    pub differences: Vec<String>,
    /// The tasks it had lost and holds again.
    pub claimed: Vec<String>,
}
