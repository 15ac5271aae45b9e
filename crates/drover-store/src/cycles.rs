//! Cycles that come in past the check of a single edge, as when an undo puts deleted edges back.

use std::collections::HashSet;

use drover_core::task::dag;
use rusqlite::{OptionalExtension as _, params};

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};
use crate::{edges, order};

/// A cycle, as its tasks and edges in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The ids of the tasks; the first one stands at the end again.
    pub(crate) ids: Vec<String>,
    /// The uids of the edges between them.
    pub(crate) edges: Vec<String>,
}

/// The edges that lie on a cycle now.
pub(crate) fn known(tx: &WriteTx<'_>) -> Result<HashSet<i64>> {
    order::settle(tx)?;
    let mut statement = tx.conn().prepare_cached("SELECT edge_pk FROM edges_unordered")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// A cycle that was not among the `known` ones.
pub(crate) fn new(tx: &WriteTx<'_>, known_before: &HashSet<i64>) -> Result<Option<Cycle>> {
    let found = known(tx)?.into_iter().find(|it| !known_before.contains(it));
    found.map_or(Ok(None), |edge| through(tx, edge))
}

fn through(tx: &ReadTx<'_>, edge: i64) -> Result<Option<Cycle>> {
    let mut statement =
        tx.conn().prepare_cached("SELECT blocker_pk, blocked_pk FROM edges WHERE pk=?1")?;
    let ends = statement.query_row([edge], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((blocker, blocked)): Option<(i64, i64)> = ends.optional()? else { return Ok(None) };
    let Some(back) = dag::try_path(blocked, blocker, |pk| edges::dependent_keys(tx, pk))? else {
        return Ok(None);
    };
    let tasks: Vec<i64> = std::iter::once(blocker).chain(back).collect();
    let mut cycle = Cycle { ids: Vec::new(), edges: Vec::new() };
    let mut id = tx.conn().prepare_cached("SELECT handle FROM task_derived WHERE task_pk=?1")?;
    for task in &tasks {
        cycle.ids.push(id.query_row([task], |row| row.get(0))?);
    }
    let mut uid =
        tx.conn().prepare_cached("SELECT uid FROM edges WHERE blocker_pk=?1 AND blocked_pk=?2")?;
    for (from, to) in tasks.iter().zip(tasks.iter().skip(1)) {
        cycle.edges.push(uid.query_row(params![from, to], |row| row.get(0))?);
    }
    Ok(Some(cycle))
}
