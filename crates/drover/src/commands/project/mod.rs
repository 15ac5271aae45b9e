//! `drover project`.

mod init;
mod list;
mod show;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectVerb {
    /// Make a project.
    Init(init::Init),
    /// List the projects.
    List(list::List),
    /// Show one project.
    Show(show::Show),
}

impl ProjectVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Init(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Show(it) => Box::new(it),
        }
    }
}
