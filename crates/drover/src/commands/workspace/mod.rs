//! `drover workspace`.

mod commits;
mod diff;
mod free;
mod land;
mod list;
mod orphans;
mod path;
mod refresh;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceVerb {
    /// Show the commits that an agent made.
    Commits(commits::Commits),
    /// Show what a workspace changes.
    Diff(diff::Diff),
    /// Let a workspace go.
    Free(free::Free),
    /// Merge, verify and land an agent's branch.
    Land(land::Land),
    /// List the workspaces.
    List(list::List),
    /// List what has lost its row, directory or branch.
    Orphans(orphans::Orphans),
    /// Print where a workspace is.
    Path(path::Path),
    /// Bring a workspace onto newer work.
    Refresh(refresh::Refresh),
}

impl WorkspaceVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Commits(it) => Box::new(it),
            Self::Diff(it) => Box::new(it),
            Self::Free(it) => Box::new(it),
            Self::Land(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Orphans(it) => Box::new(it),
            Self::Path(it) => Box::new(it),
            Self::Refresh(it) => Box::new(it),
        }
    }
}
