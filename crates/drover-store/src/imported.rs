//! Rows that come from another program's data with times and holders of their own.

use drover_core::text::Text;
use rusqlite::params;
use uuid::Uuid;

use crate::error::Result;
use crate::tasks::NewTask;
use crate::tx::{ReadTx, WriteTx};

/// What an imported task has that a new one has not.
#[derive(Debug, Clone, Copy)]
pub struct Past<'a> {
    /// When it was made, RFC 3339.
    pub created_at: &'a str,
    /// Who had it last.
    pub last_claimed_by: Option<&'a str>,
}

/// Adds a task with a past and returns its key.
pub fn insert_task(
    tx: &WriteTx<'_>,
    project_pk: i64,
    task: &NewTask<'_>,
    past: Past<'_>,
) -> Result<i64> {
    let mut statement = tx.conn().prepare_cached(
        "INSERT INTO tasks(uid,created_at,project_pk,name,name_hlc,title,status,substate,impact,effort_days,owns,labels,
           verify,verify_chosen_by,last_claimed_by,attempt,source,source_id)
         VALUES(?1,?2,?3,?4,(SELECT max(clock.hlc+1,writer.now_hlc) FROM clock, writer),?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,0,
           ?15,?16)",
    )?;
    statement.execute(params![
        Uuid::now_v7().to_string(),
        past.created_at,
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
        past.last_claimed_by,
        task.source.map(|it| it.0),
        task.source.map(|it| it.1)
    ])?;
    Ok(tx.conn().last_insert_rowid())
}

/// A text that somebody wrote at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Written {
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub text: String,
    /// When, RFC 3339.
    pub created_at: String,
}

/// Adds a note that was written earlier.
pub fn insert_note(
    tx: &WriteTx<'_>,
    task_pk: i64,
    (author, created_at): (&str, &str),
    text: &Text,
) -> Result<()> {
    tx.conn()
        .prepare_cached(
            "INSERT INTO notes(uid,created_at,task_pk,author,text) VALUES(?1,?2,?3,?4,?5)",
        )?
        .execute(params![Uuid::now_v7().to_string(), created_at, task_pk, author, text.as_str()])?;
    Ok(())
}

/// The lines of one kind in a project's log, oldest first.
pub fn lines(tx: &ReadTx<'_>, project_pk: i64, kind: &str) -> Result<Vec<Written>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT author, text, created_at FROM log_lines WHERE project_pk=?1 AND kind=?2 ORDER BY pk",
    )?;
    let rows = statement.query_map(params![project_pk, kind], |row| {
        Ok(Written { author: row.get(0)?, text: row.get(1)?, created_at: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a line that was written earlier to a project's log.
pub fn insert_line(
    tx: &WriteTx<'_>,
    project_pk: i64,
    (kind, author, created_at): (&str, &str, &str),
    text: &Text,
) -> Result<()> {
    tx.conn()
        .prepare_cached(
            "INSERT INTO log_lines(uid,created_at,project_pk,kind,author,text) VALUES(?1,?2,?3,?4,?5,?6)",
        )?
        .execute(params![
            Uuid::now_v7().to_string(),
            created_at,
            project_pk,
            kind,
            author,
            text.as_str()
        ])?;
    Ok(())
}
