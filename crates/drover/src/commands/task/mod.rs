//! `drover task`.

mod add;
mod claim;
mod import;
mod next;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// Add a task.
    Add(add::Add),
    /// Take a task.
    Claim(claim::Claim),
    /// Add the tasks of a plan.
    Import(import::Import),
    /// Show what can start, best first.
    Next(next::Next),
}

impl TaskVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Add(it) => Box::new(it),
            Self::Claim(it) => Box::new(it),
            Self::Import(it) => Box::new(it),
            Self::Next(it) => Box::new(it),
        }
    }
}
