//! `drover task`.

mod add;
mod claim;
mod next;
mod wait;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// Add a task.
    Add(add::Add),
    /// Take a task.
    Claim(claim::Claim),
    /// Show what can start, best first.
    Next(next::Next),
    /// Wait until tasks have a status, or cannot get there by themselves.
    Wait(wait::Wait),
}

impl TaskVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Add(it) => Box::new(it),
            Self::Claim(it) => Box::new(it),
            Self::Next(it) => Box::new(it),
            Self::Wait(it) => Box::new(it),
        }
    }
}
