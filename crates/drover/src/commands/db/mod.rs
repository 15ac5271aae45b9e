//! `drover db`.

mod backup;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum DbVerb {
    /// Copy the database.
    Backup(backup::Backup),
}

impl DbVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Backup(it) => Box::new(it),
        }
    }
}
