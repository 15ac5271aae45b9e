//! The kept order of tasks, in which every blocker stands before what it blocks.
//!
//! A new task is the last one. Triggers name every edge that came in against the order, by an
//! undo or an import, in `edges_unordered`; [`settle`] brings those into line.

use drover_core::task::dag::{self, Graph};
use drover_core::task::order::{self, Admission, Neighbours, Placed, Target};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::edges;
use crate::error::{Result, StoreError};
use crate::tx::WriteTx;

/// How far apart tasks stand that were put at the end; the trigger `task_derive_i` has it too.
const APART: i64 = 1 << 20;
/// With more edges than this against the order, all tasks are ordered anew.
const MANY: i64 = 500;

/// Makes place for an edge, so that it runs along the order; where it would close a cycle, the way
/// back from the blocked task to the blocker, both included.
pub fn admit(tx: &WriteTx<'_>, blocker_pk: i64, blocked_pk: i64) -> Result<Option<Vec<i64>>> {
    settle(tx)?;
    let has_rest: bool = tx
        .conn()
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM edges_unordered)")?
        .query_row([], |row| row.get(0))?;
    if has_rest {
        // Edges that lie on a cycle run against any order, so nothing can be left out of the search.
        return dag::try_path(blocked_pk, blocker_pk, |pk| edges::dependent_keys(tx, pk));
    }
    place_edge(tx.conn(), blocker_pk, blocked_pk)
}

/// Brings the edges into line that came in against the order; what lies on a cycle stays named.
pub fn settle(tx: &WriteTx<'_>) -> Result<()> {
    let conn = tx.conn();
    let mut statement = conn.prepare_cached(
        "SELECT e.pk, e.blocker_pk, e.blocked_pk FROM edges_unordered u JOIN edges e ON e.pk=u.edge_pk
         ORDER BY u.edge_pk LIMIT ?1",
    )?;
    let rows =
        statement.query_map([MANY + 1], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let named = rows.collect::<rusqlite::Result<Vec<(i64, i64, i64)>>>()?;
    if i64::try_from(named.len()).unwrap_or(MANY) > MANY {
        return rebuild(conn);
    }
    for (edge, blocker, blocked) in named {
        if place_edge(conn, blocker, blocked)?.is_none() {
            conn.prepare_cached("DELETE FROM edges_unordered WHERE edge_pk=?1")?.execute([edge])?;
        }
    }
    Ok(())
}

/// Orders all tasks anew, and names the edges that lie on a cycle.
pub(crate) fn rebuild(conn: &Connection) -> Result<()> {
    let (order, left) = {
        let mut tasks = conn.prepare("SELECT task_pk FROM task_derived ORDER BY task_pk")?;
        let tasks: Vec<i64> =
            tasks.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let mut edges = conn.prepare("SELECT blocker_pk, blocked_pk FROM edges")?;
        let edges: Vec<(i64, i64)> = edges
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let graph = Graph::new(tasks, edges);
        let ids = |positions: Vec<usize>| -> Vec<i64> {
            positions.iter().filter_map(|it| graph.ids().get(*it).copied()).collect()
        };
        let (order, left) = graph.order();
        (ids(order), ids(left))
    };
    let mut update = conn.prepare("UPDATE task_derived SET topo=?2 WHERE task_pk=?1")?;
    for (number, task) in (1..).zip(order.into_iter().chain(left)) {
        update.execute(params![task, number * APART])?;
    }
    conn.execute_batch(
        "DELETE FROM edges_unordered;
         INSERT INTO edges_unordered SELECT e.pk FROM edges e JOIN task_derived a ON a.task_pk=e.blocker_pk
           JOIN task_derived b ON b.task_pk=e.blocked_pk WHERE a.topo>=b.topo;",
    )?;
    Ok(())
}

/// Moves what has to be moved for an edge to run along the order, or returns the cycle it would close.
fn place_edge(conn: &Connection, blocker: i64, blocked: i64) -> Result<Option<Vec<i64>>> {
    let (Some(blocker), Some(blocked)) = (placed(conn, blocker)?, placed(conn, blocked)?) else {
        return Ok(None);
    };
    match order::admit(blocker, blocked, &mut Rows { conn })? {
        Admission::Along => Ok(None),
        Admission::Cycle(way) => Ok(Some(way)),
        Admission::Move { tasks, to } => put(conn, &tasks, to).map(|()| None),
    }
}

fn placed(conn: &Connection, id: i64) -> Result<Option<Placed>> {
    let mut statement = conn.prepare_cached("SELECT topo FROM task_derived WHERE task_pk=?1")?;
    let found = statement.query_row([id], |row| Ok(Placed { id, place: row.get(0)? }));
    Ok(found.optional()?)
}

/// The neighbours as the edges tell them; an edge against the order is not walked.
struct Rows<'a> {
    conn: &'a Connection,
}

impl Neighbours for Rows<'_> {
    type Error = StoreError;

    fn after(&mut self, task: Placed, last: i64) -> Result<Vec<Placed>> {
        let sql = "SELECT e.blocked_pk, d.topo FROM edges e CROSS JOIN task_derived d ON d.task_pk=e.blocked_pk
            WHERE e.blocker_pk=?1 AND d.topo>?2 AND d.topo<=?3";
        self.ends(sql, [task.id, task.place, last])
    }

    fn before(&mut self, task: Placed, first: i64) -> Result<Vec<Placed>> {
        let sql = "SELECT e.blocker_pk, d.topo FROM edges e CROSS JOIN task_derived d ON d.task_pk=e.blocker_pk
            WHERE e.blocked_pk=?1 AND d.topo<?2 AND d.topo>=?3";
        self.ends(sql, [task.id, task.place, first])
    }
}

impl Rows<'_> {
    fn ends(&self, sql: &str, of: [i64; 3]) -> Result<Vec<Placed>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows =
            statement.query_map(of, |row| Ok(Placed { id: row.get(0)?, place: row.get(1)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Puts tasks at a place, in the gap that is there, or in one that is made.
fn put(conn: &Connection, tasks: &[i64], to: Target) -> Result<()> {
    let (Target::Before(anchor) | Target::Behind(anchor)) = to;
    let Some(Placed { place, .. }) = placed(conn, anchor)? else { return Ok(()) };
    let count = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    let (next, before) = (
        "SELECT min(topo) FROM task_derived WHERE topo>?1",
        "SELECT max(topo) FROM task_derived WHERE topo<?1",
    );
    let beside = |sql| -> Result<Option<i64>> {
        Ok(conn.prepare_cached(sql)?.query_row([place], |row| row.get(0))?)
    };
    let room = APART.saturating_mul(count.saturating_add(1));
    let (low, high) = match to {
        Target::Behind(_) => (place, beside(next)?.unwrap_or(place.saturating_add(room))),
        Target::Before(_) => (beside(before)?.unwrap_or(place.saturating_sub(room)), place),
    };
    let step = (high - low) / count.saturating_add(1);
    if step == 0 {
        return respace(conn, tasks, to, place);
    }
    number(conn, tasks.iter().copied(), low + step, step)
}

/// Spreads the tasks around a place over the smallest part of the numbers that is not crowded, with
/// `tasks` among them where they belong.
///
/// A part of 2^n numbers is crowded by (2/1.4)^n tasks. That bound falls as the part grows, so a
/// part that was spread takes many more tasks before it has to be spread again, and the cost of
/// each grows with the logarithm of their number (Bender, Cole, Demaine, Farach-Colton, Zito 2002).
fn respace(conn: &Connection, tasks: &[i64], to: Target, place: i64) -> Result<()> {
    let mut inside = conn.prepare_cached(
        "SELECT task_pk FROM task_derived WHERE topo BETWEEN ?1 AND ?2 ORDER BY topo, task_pk LIMIT ?3",
    )?;
    for bits in 8..62_i32 {
        let first = place & !((1_i64 << bits) - 1);
        let last = first + ((1_i64 << bits) - 1);
        #[expect(clippy::cast_possible_truncation, reason = "the power is below 2^32 by its bits")]
        let most = (2.0_f64 / 1.4).powi(bits) as i64;
        let rows = inside.query_map([first, last, most], |row| row.get(0))?;
        let mut there = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
        let moved: std::collections::HashSet<i64> = tasks.iter().copied().collect();
        there.retain(|it| !moved.contains(it));
        let count = i64::try_from(there.len() + tasks.len()).unwrap_or(i64::MAX);
        if count >= most {
            continue;
        }
        let (Target::Before(anchor) | Target::Behind(anchor)) = to;
        let at = there.iter().position(|it| *it == anchor).unwrap_or_default();
        let at = at + usize::from(matches!(to, Target::Behind(_)));
        there.splice(at..at, tasks.iter().copied());
        let step = (1_i64 << bits) / (count + 1);
        return number(conn, there.into_iter(), first + step, step);
    }
    rebuild(conn)
}

fn number(
    conn: &Connection,
    tasks: impl Iterator<Item = i64>,
    first: i64,
    step: i64,
) -> Result<()> {
    let mut update = conn.prepare_cached("UPDATE task_derived SET topo=?2 WHERE task_pk=?1")?;
    let mut place = first;
    for task in tasks {
        update.execute(params![task, place])?;
        place += step;
    }
    Ok(())
}
