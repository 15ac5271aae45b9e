//! Looking tasks up, listing and counting them.

use drover_core::task::State;
use rusqlite::{OptionalExtension as _, params};

use super::{TASK, Task, state_at, task_of};
use crate::error::Result;
use crate::tx::ReadTx;

/// The task of a handle in a project.
pub fn find(tx: &ReadTx<'_>, project_pk: i64, id: &str) -> Result<Option<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d JOIN tasks t ON t.pk=d.task_pk WHERE d.project_pk=?1 AND d.handle=?2"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row(params![project_pk, id], task_of).optional()?)
}

/// The oldest task of a project that has this id in another program that it came from.
pub fn find_foreign(tx: &ReadTx<'_>, project_pk: i64, source_id: &str) -> Result<Option<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.project_pk=?1 AND t.source IN('beads','mu','taskwarrior') AND t.source_id=?2 ORDER BY t.pk LIMIT 1"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_row(params![project_pk, source_id], task_of).optional()?)
}

/// The task of a key.
pub fn by_pk(tx: &ReadTx<'_>, pk: i64) -> Result<Option<Task>> {
    let sql =
        format!("SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk WHERE t.pk=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([pk], task_of).optional()?)
}

/// The task of a uid.
pub fn by_uid(tx: &ReadTx<'_>, uid: &str) -> Result<Option<Task>> {
    let sql =
        format!("SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk WHERE t.uid=?1");
    Ok(tx.conn().prepare_cached(&sql)?.query_row([uid], task_of).optional()?)
}

/// Shows every task of a project that was imported from a source, oldest first, to `meet`; it ends with the
/// first error of that.
pub fn each_of_source<E>(
    tx: &ReadTx<'_>,
    project_pk: i64,
    source: &str,
    meet: &mut dyn FnMut(Task) -> std::result::Result<(), E>,
) -> Result<std::result::Result<(), E>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.project_pk=?1 AND t.source=?2 ORDER BY t.pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query(params![project_pk, source])?;
    while let Some(row) = rows.next()? {
        if let Err(err) = meet(task_of(row)?) {
            return Ok(Err(err));
        }
    }
    Ok(Ok(()))
}

/// The key of the task of a handle in a project.
pub fn key(tx: &ReadTx<'_>, project_pk: i64, id: &str) -> Result<Option<i64>> {
    let sql = "SELECT task_pk FROM task_derived WHERE project_pk=?1 AND handle=?2";
    let mut statement = tx.conn().prepare_cached(sql)?;
    Ok(statement.query_row(params![project_pk, id], |row| row.get(0)).optional()?)
}

/// The key of the oldest task of a project that has this id in a source.
pub fn key_of_source(
    tx: &ReadTx<'_>,
    project_pk: i64,
    source: &str,
    source_id: &str,
) -> Result<Option<i64>> {
    let sql = "SELECT min(pk) FROM tasks WHERE project_pk=?1 AND source=?2 AND source_id=?3";
    let mut statement = tx.conn().prepare_cached(sql)?;
    Ok(statement.query_row(params![project_pk, source, source_id], |row| row.get(0))?)
}

/// A command that was chosen by a plan, and one task that carries it.
pub fn plan_commands(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(String, String)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT t.verify, min(d.handle) FROM tasks t JOIN task_derived d ON d.task_pk=t.pk
         WHERE t.project_pk=?1 AND t.verify IS NOT NULL AND t.verify_chosen_by='plan' AND t.status<>'CLOSED'
         GROUP BY t.verify ORDER BY 2",
    )?;
    Ok(statement
        .query_map([project_pk], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// The ids of every task of a project, by name.
pub fn ids(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<String>> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT handle FROM task_derived WHERE project_pk=?1 ORDER BY handle")?;
    Ok(statement.query_map([project_pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The projects that have a task of this id, as (name, key).
pub fn projects_with(tx: &ReadTx<'_>, id: &str) -> Result<Vec<(String, i64)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT p.name, p.pk FROM projects p WHERE p.state<>'archived'
         AND EXISTS(SELECT 1 FROM task_derived d WHERE d.project_pk=p.pk AND d.handle=?1) ORDER BY p.name",
    )?;
    Ok(statement
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

/// How a listing is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By id.
    #[default]
    Id,
    /// Best return first, then less effort, then what was made first.
    Roi,
    /// Touched last first.
    Recency,
    /// Oldest first.
    Age,
}

impl Sort {
    fn sql(self) -> &'static str {
        match self {
            Self::Id => "d.handle",
            Self::Roi => "d.roi DESC, d.effort_days, d.task_pk",
            Self::Recency => "d.updated_at DESC, d.handle",
            Self::Age => "t.created_at, t.pk",
        }
    }
}

/// Which tasks to list; empty lists let everything through.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Statuses, as `OPEN`.
    pub statuses: Vec<String>,
    /// Substates, as `todo`.
    pub substates: Vec<String>,
    /// Only tasks held by this agent uid or person.
    pub holder: Option<String>,
    /// Only tasks with this label.
    pub label: Option<String>,
    /// Only tasks of these keys.
    pub keys: Option<Vec<i64>>,
    /// The order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<u32>,
}

/// With more matches than this, a listing walks its order until it has enough; with fewer it sorts them.
const MANY: i64 = 2000;

impl Query {
    fn has_filter(&self) -> bool {
        !self.statuses.is_empty()
            || !self.substates.is_empty()
            || self.holder.is_some()
            || self.label.is_some()
            || self.keys.is_some()
    }

    /// Whether nothing but the state narrows it.
    fn is_by_state(&self) -> bool {
        self.holder.is_none() && self.label.is_none() && self.keys.is_none()
    }

    /// The conditions as SQL. What does not narrow says so plainly, so that an index is seen to be enough.
    fn filter(&self) -> String {
        let statuses = match (self.statuses.as_slice(), self.substates.as_slice()) {
            ([], []) => "?2='[]'",
            _ => "t.status IN (SELECT value FROM json_each(?2))",
        };
        let substates = match self.substates.as_slice() {
            [] => "?3='[]'",
            _ => "t.substate IN (SELECT value FROM json_each(?3))",
        };
        let holder = match self.holder {
            None => "?4 IS NULL",
            Some(_) => "(t.claimed_uid=?4 OR t.claimed_by=?4)",
        };
        let label = match self.label {
            None => "?6 IS NULL",
            Some(_) => "EXISTS(SELECT 1 FROM json_each(t.labels) WHERE value=?6)",
        };
        let keys = match self.keys {
            None => "?7 IS NULL",
            Some(_) => "t.pk IN (SELECT value FROM json_each(?7))",
        };
        format!("{statuses} AND {substates} AND {holder} AND {label} AND {keys}")
    }

    fn lists(&self) -> (String, String) {
        let list = |words: &[String]| serde_json::Value::from(words).to_string();
        if !self.statuses.is_empty() {
            return (list(&self.statuses), list(&self.substates));
        }
        // Only one status has each substate, and the index begins with it.
        let of = |substate: &String| State::ALL.into_iter().find(|it| it.substate() == substate);
        let implied =
            self.substates.iter().filter_map(of).map(|it| it.status().as_str().to_owned());
        (list(&implied.collect::<Vec<_>>()), list(&self.substates))
    }
}

fn keys_of(query: &Query) -> Option<String> {
    query.keys.as_deref().map(|it| serde_json::Value::from(it).to_string())
}

/// The tasks that a query lets through.
pub fn list(tx: &ReadTx<'_>, project_pk: i64, query: &Query) -> Result<Vec<Task>> {
    let walks = query.limit.is_some()
        && (!query.has_filter() || counted(tx, project_pk, query, MANY)? >= MANY);
    let (filter, sort) = (query.filter(), query.sort.sql());
    let by_state = if query.has_filter() && query.holder.is_none() && query.keys.is_none() {
        "INDEXED BY tasks_state"
    } else {
        ""
    };
    let sql = match (walks, query.sort) {
        (true, Sort::Age) => format!(
            "SELECT {TASK} FROM tasks t INDEXED BY tasks_age CROSS JOIN task_derived d ON t.pk=d.task_pk
             WHERE t.project_pk=?1 AND {filter} ORDER BY {sort} LIMIT ?5"
        ),
        (true, Sort::Id | Sort::Roi | Sort::Recency) => format!(
            "SELECT {TASK} FROM task_derived d CROSS JOIN tasks t ON t.pk=d.task_pk
             WHERE d.project_pk=?1 AND {filter} ORDER BY {sort} LIMIT ?5"
        ),
        (false, _) => format!(
            "SELECT {TASK} FROM tasks t {by_state} CROSS JOIN task_derived d ON t.pk=d.task_pk
             WHERE t.project_pk=?1 AND {filter} ORDER BY {sort} LIMIT ?5"
        ),
    };
    let (statuses, substates) = query.lists();
    let limit = query.limit.map_or(-1, i64::from);
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let Query { holder, label, .. } = query;
    let values = params![project_pk, statuses, substates, holder, limit, label, keys_of(query)];
    let rows = statement.query_map(values, task_of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many tasks a query lets through, its limit apart.
pub fn count(tx: &ReadTx<'_>, project_pk: i64, query: &Query) -> Result<usize> {
    let count = if query.is_by_state() {
        let sql = format!(
            "SELECT coalesce(sum(t.count),0) FROM task_counts t WHERE t.project_pk=?1 AND {} AND ?5<0",
            query.filter()
        );
        counted_by(tx, &sql, project_pk, query, -1)?
    } else {
        counted(tx, project_pk, query, -1)?
    };
    Ok(usize::try_from(count).unwrap_or(0))
}

/// How many tasks a query lets through, counted up to `most`.
fn counted(tx: &ReadTx<'_>, project_pk: i64, query: &Query, most: i64) -> Result<i64> {
    let filter = query.filter();
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM tasks t WHERE t.project_pk=?1 AND {filter} LIMIT ?5)"
    );
    counted_by(tx, &sql, project_pk, query, most)
}

fn counted_by(
    tx: &ReadTx<'_>,
    sql: &str,
    project_pk: i64,
    query: &Query,
    most: i64,
) -> Result<i64> {
    let (statuses, substates) = query.lists();
    let Query { holder, label, .. } = query;
    let values = params![project_pk, statuses, substates, holder, most, label, keys_of(query)];
    Ok(tx.conn().prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// The tasks of a project that were closed last, the last first.
pub fn closed_last(tx: &ReadTx<'_>, project_pk: i64, limit: u32) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d CROSS JOIN tasks t ON t.pk=d.task_pk
         WHERE d.project_pk=?1 AND d.closed ORDER BY d.updated_at DESC, d.handle LIMIT ?2"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, limit], task_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// The tasks of a project that are open or in progress and that this holder lost last.
pub fn lost_by(tx: &ReadTx<'_>, project_pk: i64, holder: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t CROSS JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.last_claimed_by=?2 AND t.project_pk=?1 AND t.status<>'CLOSED' ORDER BY d.handle"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, holder], task_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// The ready tasks of a project that were lost at least so often, best first.
pub fn ready_after_losses(tx: &ReadTx<'_>, project_pk: i64, losses: i64) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t INDEXED BY tasks_lost CROSS JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.last_claimed_by IS NOT NULL AND t.project_pk=?1 AND t.attempt>=?2 AND d.startable AND d.open_blockers=0
         ORDER BY d.roi DESC, d.effort_days, d.task_pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, losses], task_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Every command that a plan chose for tasks of a project.
pub fn planned_commands(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT DISTINCT verify FROM tasks
         WHERE project_pk=?1 AND verify_chosen_by='plan' AND verify IS NOT NULL ORDER BY verify",
    )?;
    Ok(statement.query_map([project_pk], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The ids of the ready tasks that carry this command of a plan, at most `limit`, and how many there are.
pub fn ready_with_command(
    tx: &ReadTx<'_>,
    project_pk: i64,
    (command, limit): (&str, usize),
) -> Result<(Vec<String>, usize)> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT d.handle FROM tasks t CROSS JOIN task_derived d ON d.task_pk=t.pk
         WHERE t.project_pk=?1 AND t.verify=?2 AND t.verify_chosen_by='plan' AND d.startable AND d.open_blockers=0
         ORDER BY d.roi DESC, d.effort_days, d.task_pk",
    )?;
    let rows = statement.query_map(params![project_pk, command], |row| row.get(0))?;
    let mut ids = rows.collect::<rusqlite::Result<Vec<String>>>()?;
    let count = ids.len();
    ids.truncate(limit);
    Ok((ids, count))
}

/// The ready tasks of a project, best first.
///
/// The index `task_ready` gives the order, so the cost is that of the rows returned.
pub fn ready(tx: &ReadTx<'_>, project_pk: i64, limit: Option<u32>) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
         WHERE d.project_pk=?1 AND d.startable AND d.open_blockers=0
         ORDER BY d.roi DESC, d.effort_days, d.task_pk LIMIT ?2"
    );
    let limit = limit.map_or(-1, i64::from);
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, limit], task_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// The ready tasks that nobody holds, best first; at most 8, since the caller takes one under the write lock.
pub fn ready_unclaimed(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
         WHERE d.project_pk=?1 AND d.startable AND d.open_blockers=0 AND t.claimed_by IS NULL
         ORDER BY d.roi DESC, d.effort_days, d.task_pk LIMIT 8"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([project_pk], task_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The ready task of a project that was made first on this machine.
///
/// The index `task_ready` holds the keys, so only one task is read.
pub fn oldest_ready(tx: &ReadTx<'_>, project_pk: i64) -> Result<Option<Task>> {
    let sql = "SELECT min(task_pk) FROM task_derived INDEXED BY task_ready
        WHERE project_pk=?1 AND startable AND open_blockers=0";
    let oldest: Option<i64> =
        tx.conn().prepare_cached(sql)?.query_row([project_pk], |row| row.get(0))?;
    oldest.map_or(Ok(None), |pk| by_pk(tx, pk))
}

/// The tasks in progress of a project, touched last first.
pub fn in_progress(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.project_pk=?1 AND t.status='IN_PROGRESS' ORDER BY d.updated_at DESC, d.handle"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([project_pk], task_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The tasks in progress that an agent holds, in every project.
pub fn held_by(tx: &ReadTx<'_>, agent_uid: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.claimed_uid=?1 AND t.status='IN_PROGRESS' ORDER BY d.handle"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([agent_uid], task_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The tasks in progress that agents hold which may still run, each with its agent's uid, by id.
pub fn held_by_live(tx: &ReadTx<'_>) -> Result<Vec<(String, String)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT a.uid, d.handle FROM agents a CROSS JOIN tasks t ON t.claimed_uid=a.uid
         JOIN task_derived d ON d.task_pk=t.pk
         WHERE t.status='IN_PROGRESS' AND a.lifecycle NOT IN('closed','exited','failed') ORDER BY d.handle",
    )?;
    let held = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(statement.query_map([], held)?.collect::<rusqlite::Result<_>>()?)
}

/// The tasks that an agent holds, closed ones too, touched last first.
pub fn claimed(tx: &ReadTx<'_>, agent_uid: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.claimed_uid=?1 ORDER BY d.updated_at DESC, d.handle"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([agent_uid], task_of)?.collect::<rusqlite::Result<_>>()?)
}

/// The uids of agents that have ended and still hold tasks in progress.
pub fn stranded(tx: &ReadTx<'_>) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT DISTINCT a.uid FROM tasks t INDEXED BY tasks_active CROSS JOIN agents a ON a.uid=t.claimed_uid
         WHERE t.status='IN_PROGRESS' AND a.lifecycle IN('exited','failed','closed')",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// How many tasks of a project have each status pair.
pub fn count_by_state(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(State, i64)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT status, substate, count FROM task_counts WHERE project_pk=?1 ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([project_pk], |row| Ok((state_at(row, 0)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many open tasks of a project wait for others: all but those that nothing blocks.
pub fn count_blocked(tx: &ReadTx<'_>, project_pk: i64) -> Result<i64> {
    let sql = "SELECT (SELECT coalesce(sum(count),0) FROM task_counts WHERE project_pk=?1 AND status='OPEN')
        - (SELECT count(*) FROM task_derived INDEXED BY task_ready WHERE project_pk=?1 AND startable AND open_blockers=0)
        - (SELECT count(*) FROM tasks t CROSS JOIN task_derived d ON d.task_pk=t.pk
           WHERE t.project_pk=?1 AND t.status='OPEN' AND t.substate IN('parked','triage') AND d.open_blockers=0)";
    Ok(tx.conn().prepare_cached(sql)?.query_row([project_pk], |row| row.get(0))?)
}

/// What goes with a task when it is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attached {
    /// Edges to and from it.
    pub edges: i64,
    /// Notes on it.
    pub notes: i64,
}

/// What would go with a task.
pub fn attached(tx: &ReadTx<'_>, pk: i64) -> Result<Attached> {
    let sql = "SELECT (SELECT count(*) FROM edges WHERE blocker_pk=?1)+(SELECT count(*) FROM edges WHERE blocked_pk=?1),
        (SELECT count(*) FROM notes WHERE task_pk=?1)";
    Ok(tx
        .conn()
        .query_row(sql, [pk], |row| Ok(Attached { edges: row.get(0)?, notes: row.get(1)? }))?)
}
