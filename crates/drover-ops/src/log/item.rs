//! One row change as it is told, and the group it is told under.

use drover_store::ReadTx;
use drover_store::log::Op;

use super::words::{Teller, Voice};
use crate::error::Result;

/// A row change in words.
#[derive(Debug, Clone)]
pub struct Item {
    /// What was logged.
    pub op: Op,
    /// The name of the project that the row belongs, or belonged, to.
    pub project: Option<String>,
    /// What the row is called.
    pub subject: String,
    /// The change in one line.
    pub words: String,
}

/// Tells changes as they happened.
pub(crate) fn items(tx: ReadTx<'_>, ops: Vec<Op>) -> Result<Vec<Item>> {
    told(tx, ops, Voice::Happened)
}

/// Tells changes as taking them back does it.
pub(crate) fn taken_back(tx: ReadTx<'_>, ops: Vec<Op>) -> Result<Vec<Item>> {
    told(tx, ops, Voice::TakenBack)
}

fn told(tx: ReadTx<'_>, ops: Vec<Op>, voice: Voice) -> Result<Vec<Item>> {
    let mut teller = Teller::new(tx);
    let tell = |op: Op| {
        let project = op.project.as_deref().map(|uid| teller.name("project", uid)).transpose()?;
        let subject = teller.subject(&op)?;
        let words = teller.words(&op, voice)?;
        Ok(Item { op, project, subject, words })
    };
    ops.into_iter().map(tell).collect()
}
