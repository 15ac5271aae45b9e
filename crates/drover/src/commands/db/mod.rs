//! `drover db`.

mod backup;
mod compact;
mod forget;
mod shrunk;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum DbVerb {
    /// Copy the database.
    Backup(backup::Backup),
    /// Take out of the log what it says twice.
    Compact(compact::Compact),
    /// Take torn-down projects out of the log for good.
    Forget(forget::Forget),
}

impl DbVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Backup(it) => Box::new(it),
            Self::Compact(it) => Box::new(it),
            Self::Forget(it) => Box::new(it),
        }
    }
}
