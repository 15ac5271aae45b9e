//! `drover project`.

mod archive;
mod card;
mod import;
mod init;
mod list;
mod rename;
mod set;
mod show;
mod teardown;
mod trust;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectVerb {
    /// Put a project away with all its rows.
    Archive(archive::Archive),
    /// Take over a database of mu.
    Import(import::Import),
    /// Make a project.
    Init(init::Init),
    /// List the projects.
    List(list::List),
    /// Give a project another name.
    Rename(rename::Rename),
    /// Set a policy value.
    Set(set::Set),
    /// Show one project.
    Show(show::Show),
    /// End a project with its agents and rows.
    Teardown(teardown::Teardown),
    /// Let commands from outside run.
    Trust(trust::Trust),
    /// Fetch an archived project back.
    Unarchive(archive::Unarchive),
}

impl ProjectVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Archive(it) => Box::new(it),
            Self::Import(it) => Box::new(it),
            Self::Init(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Rename(it) => Box::new(it),
            Self::Set(it) => Box::new(it),
            Self::Show(it) => Box::new(it),
            Self::Teardown(it) => Box::new(it),
            Self::Trust(it) => Box::new(it),
            Self::Unarchive(it) => Box::new(it),
        }
    }
}
