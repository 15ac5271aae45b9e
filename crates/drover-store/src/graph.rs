//! The graph around a task or of a whole project, each in two statements.

use drover_core::task::State;
use drover_core::task::ids::IdMap;
use rusqlite::{Row, ToSql, params};

use crate::edges;
use crate::error::Result;
use crate::tasks::state_at;
use crate::tx::ReadTx;

/// A task as the graph shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Status and substate.
    pub state: State,
    /// Who holds it.
    pub claimed_by: Option<String>,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Impact over effort.
    pub roi: f64,
    /// Owned repository paths, as a JSON array.
    pub owns: String,
    /// Blockers that are not CLOSED/done.
    pub open_blockers: i64,
}

/// Tasks and the edges between them.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The tasks, by id.
    pub nodes: Vec<Node>,
    /// The edges, as (blocker, blocked) keys.
    pub edges: Vec<(i64, i64)>,
}

impl Graph {
    /// The tasks by key.
    pub fn by_key(&self) -> IdMap<&Node> {
        self.nodes.iter().map(|it| (it.pk, it)).collect()
    }

    /// The blockers of each blocked task, by their ids.
    pub fn blockers(&self) -> IdMap<Vec<i64>> {
        self.neighbours(|(blocker, blocked)| (blocked, blocker))
    }

    /// The dependents of each blocker, by their ids.
    pub fn dependents(&self) -> IdMap<Vec<i64>> {
        self.neighbours(|edge| edge)
    }

    fn neighbours(&self, of: impl Fn((i64, i64)) -> (i64, i64)) -> IdMap<Vec<i64>> {
        let rank: IdMap<usize> =
            self.nodes.iter().enumerate().map(|(rank, node)| (node.pk, rank)).collect();
        dealt(&self.edges, of, &rank)
    }
}

/// The lists of neighbours, each in the order of the ranks: the edges are dealt out by the rank of their far
/// end first. What has no rank stands before all that have.
fn dealt(
    edges: &[(i64, i64)],
    of: impl Fn((i64, i64)) -> (i64, i64),
    rank: &IdMap<usize>,
) -> IdMap<Vec<i64>> {
    let rank_of = |pk: i64| rank.get(&pk).map_or(0, |it| it + 1);
    let mut starts = vec![0_usize; rank.len() + 2];
    for edge in edges {
        if let Some(slot) = starts.get_mut(rank_of(of(*edge).1) + 1) {
            *slot += 1;
        }
    }
    let mut sum = 0;
    for slot in &mut starts {
        sum += *slot;
        *slot = sum;
    }
    let mut dealt = vec![(0, 0); edges.len()];
    for edge in edges {
        let (from, to) = of(*edge);
        if let Some(start) = starts.get_mut(rank_of(to)) {
            if let Some(slot) = dealt.get_mut(*start) {
                *slot = (from, to);
            }
            *start += 1;
        }
    }
    let mut lists: IdMap<Vec<i64>> = IdMap::default();
    for (from, to) in dealt {
        lists.entry(from).or_default().push(to);
    }
    lists
}

/// Which tasks a walk from one task takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Its blockers and theirs.
    Blockers,
    /// Its blockers and theirs, but none behind a closed task.
    OpenBlockers,
    /// Its dependents and theirs.
    Dependents,
}

impl Walk {
    fn reach(self) -> &'static str {
        match self {
            Self::Blockers => {
                "WITH RECURSIVE reach(pk) AS (SELECT ?1 UNION
                   SELECT e.blocker_pk FROM reach r JOIN edges e ON e.blocked_pk=r.pk LIMIT ?2)"
            }
            Self::OpenBlockers => {
                "WITH RECURSIVE reach(pk) AS (SELECT ?1 UNION
                   SELECT e.blocker_pk FROM reach r JOIN tasks o ON o.pk=r.pk AND o.status<>'CLOSED'
                   JOIN edges e ON e.blocked_pk=r.pk LIMIT ?2)"
            }
            Self::Dependents => {
                "WITH RECURSIVE reach(pk) AS (SELECT ?1 UNION
                   SELECT e.blocked_pk FROM reach r JOIN edges e ON e.blocker_pk=r.pk LIMIT ?2)"
            }
        }
    }

    fn edges(self) -> &'static str {
        match self {
            Self::Blockers => "JOIN edges e ON e.blocked_pk=r.pk",
            Self::OpenBlockers => {
                "JOIN tasks o ON o.pk=r.pk AND o.status<>'CLOSED' JOIN edges e ON e.blocked_pk=r.pk"
            }
            Self::Dependents => "JOIN edges e ON e.blocker_pk=r.pk",
        }
    }
}

const NODE: &str = "t.pk, t.uid, d.handle, t.title, t.status, t.substate, t.claimed_by, t.effort_days, d.roi, t.owns,
    d.open_blockers";

fn node_of(row: &Row<'_>) -> rusqlite::Result<Node> {
    Ok(Node {
        pk: row.get(0)?,
        uid: row.get(1)?,
        id: row.get(2)?,
        title: row.get(3)?,
        state: state_at(row, 4)?,
        claimed_by: row.get(6)?,
        effort_days: row.get(7)?,
        roi: row.get(8)?,
        owns: row.get(9)?,
        open_blockers: row.get(10)?,
    })
}

/// What a walk from a task takes in, that task included; with a `limit`, only so many of the nearest tasks.
///
/// Edges may lead to tasks that the limit left out.
pub fn around(tx: &ReadTx<'_>, pk: i64, walk: Walk, limit: Option<u32>) -> Result<Graph> {
    let (reach, edges) = (walk.reach(), walk.edges());
    let limit = limit.map_or(-1, i64::from);
    graph(
        tx,
        params![pk, limit],
        &format!(
            "{reach} SELECT {NODE} FROM reach r CROSS JOIN tasks t ON t.pk=r.pk JOIN task_derived d ON d.task_pk=t.pk"
        ),
        &format!("{reach} SELECT e.blocker_pk, e.blocked_pk FROM reach r {edges}"),
    )
}

/// A task as far as tracks ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The row's key in this database.
    pub pk: i64,
    /// Status and substate.
    pub state: State,
    /// Whether it can be started now.
    pub ready: bool,
}

/// Every task of a project, in the order of their keys.
pub fn standings(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Standing>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT pk, status, substate FROM tasks INDEXED BY tasks_state WHERE project_pk=?1",
    )?;
    let rows = statement.query_map([project_pk], |row| {
        Ok(Standing { pk: row.get(0)?, state: state_at(row, 1)?, ready: false })
    })?;
    let mut standings = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    standings.sort_unstable_by_key(|it| it.pk);
    let mut statement = tx.conn().prepare_cached(
        "SELECT task_pk FROM task_derived INDEXED BY task_ready
         WHERE project_pk=?1 AND startable AND open_blockers=0",
    )?;
    for pk in statement.query_map([project_pk], |row| row.get(0))? {
        let pk: i64 = pk?;
        let found = standings.binary_search_by_key(&pk, |it| it.pk).ok();
        if let Some(standing) = found.and_then(|it| standings.get_mut(it)) {
            standing.ready = true;
        }
    }
    Ok(standings)
}

/// The keys of the tasks of a project, by their ids.
pub fn keys_by_id(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<i64>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT task_pk FROM task_derived WHERE project_pk=?1 ORDER BY handle")?;
    Ok(statement.query_map([project_pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// A task that is not done, as far as a schedule asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// The row's key in this database.
    pub pk: i64,
    /// Its id.
    pub id: String,
    /// Status and substate.
    pub state: State,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Impact over effort.
    pub roi: f64,
    /// Owned repository paths, as a JSON array; none where it owns none.
    pub owns: Option<String>,
}

/// What is not done in a project, by id, with the blockers of each that are not done, in that order.
pub fn not_done(tx: &ReadTx<'_>, project_pk: i64) -> Result<(Vec<Unfinished>, IdMap<Vec<i64>>)> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT t.pk, d.handle, t.status, t.substate, t.effort_days, d.roi, nullif(t.owns,'[]')
         FROM tasks t JOIN task_derived d ON d.task_pk=t.pk WHERE t.project_pk=?1
         AND NOT(t.status='CLOSED' AND t.substate='done')",
    )?;
    let rows = statement.query_map([project_pk], |row| {
        Ok(Unfinished {
            pk: row.get(0)?,
            id: row.get(1)?,
            state: state_at(row, 2)?,
            effort_days: row.get(4)?,
            roi: row.get(5)?,
            owns: row.get(6)?,
        })
    })?;
    let mut tasks = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    tasks.sort_unstable_by(|one, two| one.id.cmp(&two.id));
    let keys: Vec<i64> = tasks.iter().map(|it| it.pk).collect();
    Ok((tasks, blockers_among(tx, project_pk, &keys)?))
}

/// The blockers of each task of a project, as far as they are among `keys`, and in their order.
fn blockers_among(tx: &ReadTx<'_>, project_pk: i64, keys: &[i64]) -> Result<IdMap<Vec<i64>>> {
    let rank: IdMap<usize> = keys.iter().enumerate().map(|(rank, pk)| (*pk, rank)).collect();
    let mut edges = edges::of_project(tx, project_pk)?;
    edges.retain(|it| rank.contains_key(&it.0));
    Ok(dealt(&edges, |(blocker, blocked)| (blocked, blocker), &rank))
}

/// The titles of tasks, by key.
pub fn titles(tx: &ReadTx<'_>, keys: &[i64]) -> Result<IdMap<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT t.pk, t.title FROM json_each(?1) k CROSS JOIN tasks t ON t.pk=k.value",
    )?;
    let keys = serde_json::Value::from(keys).to_string();
    let rows = statement.query_map([keys], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn graph(tx: &ReadTx<'_>, of: &[&dyn ToSql], sql: &str, edges: &str) -> Result<Graph> {
    let nodes = nodes(tx, of, sql)?;
    let mut statement = tx.conn().prepare_cached(edges)?;
    let edges = statement
        .query_map(of, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Graph { nodes, edges })
}

/// The nodes by id: they are sorted here, since the rows come in the order in which they lie.
fn nodes(tx: &ReadTx<'_>, of: &[&dyn ToSql], sql: &str) -> Result<Vec<Node>> {
    let mut statement = tx.conn().prepare_cached(sql)?;
    let mut nodes = statement.query_map(of, node_of)?.collect::<rusqlite::Result<Vec<Node>>>()?;
    nodes.sort_unstable_by(|one, two| one.id.cmp(&two.id));
    Ok(nodes)
}
