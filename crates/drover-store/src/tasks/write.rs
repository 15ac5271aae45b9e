//! Adding tasks and changing them.

use drover_core::task::State;
use drover_core::text::Text;
use jiff::Timestamp;
use rusqlite::params;
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{WriteTx, time_text};

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
    insert_at(tx, project_pk, task, tx.at())
}

/// Adds a task that was made elsewhere at this time, and returns its key.
pub fn insert_at(
    tx: &WriteTx<'_>,
    project_pk: i64,
    task: &NewTask<'_>,
    created_at: Timestamp,
) -> Result<i64> {
    let mut statement = tx.conn().prepare_cached(
        "INSERT INTO tasks(uid,created_at,project_pk,name,name_hlc,title,status,substate,impact,effort_days,owns,labels,
           verify,verify_chosen_by,attempt,source,source_id)
         VALUES(?1,?2,?3,?4,(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer),?5,?6,?7,?8,?9,?10,?11,?12,?13,0,?14,?15)",
    )?;
    statement.execute(params![
        Uuid::now_v7().to_string(),
        time_text(created_at),
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
