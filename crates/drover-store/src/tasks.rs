//! Tasks: their rows, what is ready, and who holds what.

use drover_core::task::State;
use drover_core::text::Text;
use rusqlite::{OptionalExtension as _, Row, params};
use uuid::Uuid;

use crate::error::{Result, StoreError};
use crate::tx::{ReadTx, WriteTx};

/// A task.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// The project it belongs to.
    pub project_pk: i64,
    /// The short id people use: the handle.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Status and substate.
    pub state: State,
    /// 1 to 100.
    pub impact: i64,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Owned repository paths, as a JSON array.
    pub owns: String,
    /// Labels, as a JSON array.
    pub labels: String,
    /// The command that proves it done.
    pub verify: Option<String>,
    /// Whose choice that command was: `plan` or `caller`.
    pub verify_chosen_by: Option<String>,
    /// Who holds it, as `<name>@<machine>` or `user:<name>@<machine>`.
    pub claimed_by: Option<String>,
    /// The holding agent's uid; none for people.
    pub claimed_uid: Option<String>,
    /// Who lost it last.
    pub last_claimed_by: Option<String>,
    /// How often it was lost.
    pub attempt: i64,
    /// Where it was imported from.
    pub source: Option<String>,
    /// Its id there.
    pub source_id: Option<String>,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it, its notes or its blockers changed last, RFC 3339.
    pub updated_at: String,
    /// Blockers that are not CLOSED/done.
    pub open_blockers: i64,
    /// Impact over effort.
    pub roi: f64,
}

impl Task {
    /// Whether it can be started: OPEN/todo and nothing blocks it.
    pub fn is_ready(&self) -> bool {
        self.state == State::Todo && self.open_blockers == 0
    }
}

const TASK: &str = "t.pk, t.uid, t.project_pk, d.handle, t.title, t.status, t.substate, t.impact, t.effort_days, t.owns,
    t.labels, t.verify, t.verify_chosen_by, t.claimed_by, t.claimed_uid, t.last_claimed_by, t.attempt, t.source,
    t.source_id, t.created_at, d.updated_at, d.open_blockers, d.roi";

/// The state in two columns, the first at `at`.
pub(crate) fn state_at(row: &Row<'_>, at: usize) -> rusqlite::Result<State> {
    let (status, substate): (String, String) = (row.get(at)?, row.get(at + 1)?);
    State::from_pair(&status, &substate).map_err(|_| {
        let bad = StoreError::BadValue {
            table: "tasks",
            column: "substate",
            value: format!("{status}/{substate}"),
        };
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(bad))
    })
}

fn task_of(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        pk: row.get(0)?,
        uid: row.get(1)?,
        project_pk: row.get(2)?,
        id: row.get(3)?,
        title: row.get(4)?,
        state: state_at(row, 5)?,
        impact: row.get(7)?,
        effort_days: row.get(8)?,
        owns: row.get(9)?,
        labels: row.get(10)?,
        verify: row.get(11)?,
        verify_chosen_by: row.get(12)?,
        claimed_by: row.get(13)?,
        claimed_uid: row.get(14)?,
        last_claimed_by: row.get(15)?,
        attempt: row.get(16)?,
        source: row.get(17)?,
        source_id: row.get(18)?,
        created_at: row.get(19)?,
        updated_at: row.get(20)?,
        open_blockers: row.get(21)?,
        roi: row.get(22)?,
    })
}

/// The task of a handle in a project.
pub fn find(tx: &ReadTx<'_>, project_pk: i64, id: &str) -> Result<Option<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d JOIN tasks t ON t.pk=d.task_pk WHERE d.project_pk=?1 AND d.handle=?2"
    );
    Ok(tx.conn().prepare_cached(&sql)?.query_row(params![project_pk, id], task_of).optional()?)
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

/// The tasks of a project that were imported from a source, oldest first.
pub fn of_source(tx: &ReadTx<'_>, project_pk: i64, source: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.project_pk=?1 AND t.source=?2 ORDER BY t.pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, source], task_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Every id of a project with the key of its task, by name.
pub fn keys(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(String, i64)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT handle, task_pk FROM task_derived WHERE project_pk=?1 ORDER BY handle",
    )?;
    Ok(statement
        .query_map([project_pk], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
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

/// The tasks that were imported under a source id.
pub fn by_source(
    tx: &ReadTx<'_>,
    project_pk: i64,
    source: &str,
    source_id: &str,
) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk
         WHERE t.project_pk=?1 AND t.source=?2 AND t.source_id=?3 ORDER BY t.pk"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement
        .query_map(params![project_pk, source, source_id], task_of)?
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
    /// Best return first, then less effort, then id.
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
            Self::Roi => "d.roi DESC, d.effort_days, d.handle",
            Self::Recency => "d.updated_at DESC, d.handle",
            Self::Age => "t.created_at, d.handle",
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
    /// The order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<u32>,
}

const FILTER: &str = "t.project_pk=?1
         AND (?2='[]' OR t.status IN (SELECT value FROM json_each(?2)))
         AND (?3='[]' OR t.substate IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR t.claimed_uid=?4 OR t.claimed_by=?4)";

fn json_list(words: &[String]) -> String {
    serde_json::Value::from(words).to_string()
}

/// The tasks that a query lets through.
pub fn list(tx: &ReadTx<'_>, project_pk: i64, query: &Query) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM tasks t JOIN task_derived d ON t.pk=d.task_pk WHERE {FILTER} ORDER BY {} LIMIT ?5",
        query.sort.sql()
    );
    let (statuses, substates) = (json_list(&query.statuses), json_list(&query.substates));
    let limit = query.limit.map_or(-1, i64::from);
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let rows = statement
        .query_map(params![project_pk, statuses, substates, query.holder, limit], task_of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many tasks a query lets through, its limit apart.
pub fn count(tx: &ReadTx<'_>, project_pk: i64, query: &Query) -> Result<usize> {
    let (statuses, substates) = (json_list(&query.statuses), json_list(&query.substates));
    let count: i64 = tx.conn().query_row(
        &format!("SELECT count(*) FROM tasks t WHERE {FILTER}"),
        params![project_pk, statuses, substates, query.holder],
        |row| row.get(0),
    )?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The ready tasks of a project, best first.
///
/// The index `task_ready` gives the order, so the cost is that of the rows returned.
pub fn ready(tx: &ReadTx<'_>, project_pk: i64, limit: Option<u32>) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {TASK} FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
         WHERE d.project_pk=?1 AND d.startable AND d.open_blockers=0
         ORDER BY d.roi DESC, d.effort_days, d.handle LIMIT ?2"
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
         ORDER BY d.roi DESC, d.effort_days, d.handle LIMIT 8"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    Ok(statement.query_map([project_pk], task_of)?.collect::<rusqlite::Result<_>>()?)
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

/// How many tasks of a project have each status pair.
pub fn count_by_state(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(State, i64)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT status, substate, count(*) FROM tasks WHERE project_pk=?1 GROUP BY status, substate ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([project_pk], |row| Ok((state_at(row, 0)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many open tasks of a project wait for others.
pub fn count_blocked(tx: &ReadTx<'_>, project_pk: i64) -> Result<i64> {
    let sql = "SELECT count(*) FROM blocked WHERE project_pk=?1";
    Ok(tx.conn().prepare_cached(sql)?.query_row([project_pk], |row| row.get(0))?)
}

/// What a new task is made of.
#[derive(Debug, Clone)]
pub struct NewTask<'a> {
    /// The id; free in its project.
    pub id: &'a str,
    /// What is to be done.
    pub title: &'a Text,
    /// Status and substate.
    pub state: State,
    /// 1 to 100.
    pub impact: i64,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Owned repository paths, as a JSON array.
    pub owns: &'a str,
    /// Labels, as a JSON array.
    pub labels: &'a str,
    /// The command that proves it done, and whose choice it was.
    pub verify: Option<(&'a str, &'a str)>,
    /// Where it was imported from, and its id there.
    pub source: Option<(&'a str, &'a str)>,
}

/// Adds a task and returns its key.
pub fn insert(tx: &WriteTx<'_>, project_pk: i64, task: &NewTask<'_>) -> Result<i64> {
    let mut statement = tx.conn().prepare_cached(
        "INSERT INTO tasks(uid,created_at,project_pk,name,name_hlc,title,status,substate,impact,effort_days,owns,labels,
           verify,verify_chosen_by,attempt,source,source_id)
         VALUES(?1,?2,?3,?4,(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer),?5,?6,?7,?8,?9,?10,?11,?12,?13,0,?14,?15)",
    )?;
    statement.execute(params![
        Uuid::now_v7().to_string(),
        tx.at_text(),
        project_pk,
        task.id,
        task.title.as_str(),
        task.state.status().as_str(),
        task.state.substate(),
        task.impact,
        task.effort_days,
        task.owns,
        task.labels,
        task.verify.map(|it| it.0),
        task.verify.map(|it| it.1),
        task.source.map(|it| it.0),
        task.source.map(|it| it.1)
    ])?;
    Ok(tx.conn().last_insert_rowid())
}

/// Takes a task for a holder, in one compare-and-set; `false` when somebody else has it or it is closed.
///
/// Whether its blockers allow that is the caller's rule.
pub fn claim(tx: &WriteTx<'_>, pk: i64, holder: &str, agent_uid: Option<&str>) -> Result<bool> {
    let changed = tx.conn().execute(
        "UPDATE tasks SET status='IN_PROGRESS', substate='active', claimed_by=?2, claimed_uid=?3
         WHERE pk=?1 AND status<>'CLOSED' AND (claimed_by IS NULL OR (claimed_uid IS ?3 AND (?3 IS NOT NULL OR claimed_by=?2)))",
        params![pk, holder, agent_uid],
    )?;
    Ok(changed == 1)
}

/// Puts a task into a state, its holder unchanged.
pub fn set_state(tx: &WriteTx<'_>, pk: i64, state: State) -> Result<()> {
    tx.conn().execute(
        "UPDATE tasks SET status=?2, substate=?3 WHERE pk=?1",
        params![pk, state.status().as_str(), state.substate()],
    )?;
    Ok(())
}

/// Clears a task's holder and puts it into a state.
pub fn release(tx: &WriteTx<'_>, pk: i64, state: State) -> Result<()> {
    tx.conn().execute(
        "UPDATE tasks SET status=?2, substate=?3, claimed_by=NULL, claimed_uid=NULL WHERE pk=?1",
        params![pk, state.status().as_str(), state.substate()],
    )?;
    Ok(())
}

/// Takes a task in progress from a holder that is gone: open again, the loss counted.
pub fn reap(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute(
        "UPDATE tasks SET status='OPEN', substate='todo', last_claimed_by=claimed_by, claimed_by=NULL, claimed_uid=NULL,
           attempt=attempt+1 WHERE pk=?1 AND status='IN_PROGRESS'",
        [pk],
    )?;
    Ok(())
}

/// The fields of a task that `task update` may change; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// What is to be done.
    pub title: Option<Text>,
    /// 1 to 100.
    pub impact: Option<i64>,
    /// Days of work, above 0.
    pub effort_days: Option<f64>,
    /// Owned repository paths, as a JSON array.
    pub owns: Option<String>,
    /// Labels, as a JSON array.
    pub labels: Option<String>,
    /// The command that proves it done and whose choice it is; `Some(None)` removes it.
    pub verify: Option<Option<(String, String)>>,
}

/// Writes the given fields.
pub fn update(tx: &WriteTx<'_>, pk: i64, changes: &Changes) -> Result<()> {
    let verify = changes.verify.as_ref();
    tx.conn().execute(
        "UPDATE tasks SET title=coalesce(?2,title), impact=coalesce(?3,impact), effort_days=coalesce(?4,effort_days),
           owns=coalesce(?5,owns), labels=coalesce(?6,labels), verify=iif(?7,?8,verify),
           verify_chosen_by=iif(?7,?9,verify_chosen_by) WHERE pk=?1",
        params![
            pk,
            changes.title.as_ref().map(Text::as_str),
            changes.impact,
            changes.effort_days,
            changes.owns,
            changes.labels,
            verify.is_some(),
            verify.and_then(|it| it.as_ref().map(|it| &it.0)),
            verify.and_then(|it| it.as_ref().map(|it| &it.1))
        ],
    )?;
    Ok(())
}

/// Gives a task another name; the caller has checked that it is free.
pub fn rename(tx: &WriteTx<'_>, pk: i64, name: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE tasks SET name=?2, name_hlc=(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer) WHERE pk=?1",
        params![pk, name],
    )?;
    Ok(())
}

/// Rewrites the holder's name of every task an agent holds or held last.
pub fn rename_holder(tx: &WriteTx<'_>, agent_uid: &str, holder: &str) -> Result<()> {
    tx.conn().execute(
        "UPDATE tasks SET claimed_by=?2 WHERE claimed_uid=?1",
        params![agent_uid, holder],
    )?;
    Ok(())
}

/// Deletes a task with its edges and notes; each is logged.
pub fn delete(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    tx.conn().execute("DELETE FROM tasks WHERE pk=?1", [pk])?;
    Ok(())
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
