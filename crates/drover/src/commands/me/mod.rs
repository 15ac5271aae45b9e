//! `drover me`.

mod who;
mod work;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum MeVerb {
    /// Show who you are and what you hold.
    Show(who::Who),
    /// List the tasks you hold.
    Tasks(who::Tasks),
    /// Do your work: take a task, run your command on it, verify, close.
    Work(work::Work),
}

/// Without a verb one is shown oneself.
impl Default for MeVerb {
    fn default() -> Self {
        Self::Show(who::Who::bare())
    }
}

impl MeVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Show(it) => Box::new(it),
            Self::Tasks(it) => Box::new(it),
            Self::Work(it) => Box::new(it),
        }
    }
}
