//! Notes on tasks, evidence for them, and free lines in the log.

use drover_core::text::Text;
use jiff::Timestamp;
use rusqlite::{Row, params};
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx, time_text};

/// A note on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its identity.
    pub uid: String,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub text: String,
    /// When, RFC 3339.
    pub created_at: String,
}

/// Adds a note to a task and returns its uid.
pub fn insert(tx: &WriteTx<'_>, task_pk: i64, author: &str, text: &Text) -> Result<String> {
    insert_at(tx, task_pk, (author, tx.at()), text)
}

/// Adds a note that was written elsewhere at this time, and returns its uid.
pub fn insert_at(
    tx: &WriteTx<'_>,
    task_pk: i64,
    (author, at): (&str, Timestamp),
    text: &Text,
) -> Result<String> {
    let uid = Uuid::now_v7().to_string();
    tx.conn()
        .prepare_cached(
            "INSERT INTO notes(uid,created_at,task_pk,author,text) VALUES(?1,?2,?3,?4,?5)",
        )?
        .execute(params![uid, time_text(at), task_pk, author, text.as_str()])?;
    Ok(uid)
}

/// The notes of a task, oldest first.
pub fn of_task(tx: &ReadTx<'_>, task_pk: i64) -> Result<Vec<Note>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT uid, author, text, created_at FROM notes WHERE task_pk=?1 ORDER BY pk",
    )?;
    let rows = statement.query_map([task_pk], note_of)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether a line of a note of this task begins in one of these ways.
pub fn has_line(tx: &ReadTx<'_>, task_pk: i64, beginnings: &[&str]) -> Result<bool> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT EXISTS(SELECT 1 FROM notes, json_each(?2) WHERE task_pk=?1
         AND instr(char(10)||text, char(10)||value)>0)",
    )?;
    let beginnings = serde_json::Value::from(beginnings.to_vec()).to_string();
    Ok(statement.query_row(params![task_pk, beginnings], |row| row.get(0))?)
}

/// The notes of a project with the keys of their tasks, oldest first.
pub fn of_project(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(i64, Note)>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT n.uid, n.author, n.text, n.created_at, n.task_pk FROM notes n JOIN tasks t ON t.pk=n.task_pk
         WHERE t.project_pk=?1 ORDER BY n.pk",
    )?;
    let rows = statement.query_map([project_pk], |row| Ok((row.get(4)?, note_of(row)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn note_of(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note { uid: row.get(0)?, author: row.get(1)?, text: row.get(2)?, created_at: row.get(3)? })
}

/// What somebody said or a command showed about a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Its identity; empty before it is written.
    pub uid: String,
    /// When, RFC 3339; empty before it is written.
    pub created_at: String,
    /// `said`, `verified`, `failed`, `landed` or `unverified`.
    pub kind: String,
    /// The verb it came with, as `close`.
    pub verb: String,
    /// What was said.
    pub text: Option<Text>,
    /// The command that ran.
    pub command: Option<String>,
    /// Whose choice the command was: `plan`, `policy` or `caller`.
    pub chosen_by: Option<String>,
    /// Its exit code.
    pub exit: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
    /// How long it ran.
    pub duration_ms: Option<i64>,
    /// The commit it ran on.
    pub commit_oid: Option<String>,
    /// The tree it ran on.
    pub tree_oid: Option<String>,
    /// Whether the tree held changes that the commit does not.
    pub dirty: Option<bool>,
    /// SHA-256 of its output, in hex.
    pub log_digest: Option<String>,
    /// The file with its output.
    pub log_path: Option<String>,
    /// Who says it.
    pub said_by: String,
}

const EVIDENCE: &str = "uid, created_at, kind, verb, text, command, chosen_by, exit, signal, duration_ms, commit_oid, tree_oid,
    dirty, log_digest, log_path, said_by";

fn evidence_of(row: &Row<'_>) -> rusqlite::Result<Evidence> {
    Ok(Evidence {
        uid: row.get(0)?,
        created_at: row.get(1)?,
        kind: row.get(2)?,
        verb: row.get(3)?,
        text: row.get::<_, Option<String>>(4)?.map(|it| Text::new(&it)),
        command: row.get(5)?,
        chosen_by: row.get(6)?,
        exit: row.get(7)?,
        signal: row.get(8)?,
        duration_ms: row.get(9)?,
        commit_oid: row.get(10)?,
        tree_oid: row.get(11)?,
        dirty: row.get(12)?,
        log_digest: row.get(13)?,
        log_path: row.get(14)?,
        said_by: row.get(15)?,
    })
}

/// Adds evidence for a task.
pub fn insert_evidence(
    tx: &WriteTx<'_>,
    project_pk: i64,
    task_uid: &str,
    evidence: &Evidence,
) -> Result<()> {
    insert_about(tx, project_pk, ("task", task_uid), evidence)
}

/// Adds evidence for the delivery of a workspace's work that belongs to no task.
pub fn insert_delivery_evidence(
    tx: &WriteTx<'_>,
    project_pk: i64,
    workspace_uid: &str,
    evidence: &Evidence,
) -> Result<()> {
    insert_about(tx, project_pk, ("delivery", workspace_uid), evidence)
}

fn insert_about(
    tx: &WriteTx<'_>,
    project_pk: i64,
    (subject, subject_uid): (&str, &str),
    evidence: &Evidence,
) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO evidence(uid,created_at,project_pk,subject,subject_uid,kind,verb,text,command,chosen_by,exit,signal,
           duration_ms,commit_oid,tree_oid,dirty,log_digest,log_path,said_by)
         VALUES(?1,?2,?3,?19,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)",
        params![
            Uuid::now_v7().to_string(),
            tx.at_text(),
            project_pk,
            subject_uid,
            evidence.kind,
            evidence.verb,
            evidence.text.as_ref().map(Text::as_str),
            evidence.command,
            evidence.chosen_by,
            evidence.exit,
            evidence.signal,
            evidence.duration_ms,
            evidence.commit_oid,
            evidence.tree_oid,
            evidence.dirty,
            evidence.log_digest,
            evidence.log_path,
            evidence.said_by,
            subject
        ],
    )?;
    Ok(())
}

/// The evidence for a task, oldest first.
pub fn evidence_for(tx: &ReadTx<'_>, task_uid: &str) -> Result<Vec<Evidence>> {
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {EVIDENCE} FROM evidence WHERE subject_uid=?1 ORDER BY pk"
    ))?;
    Ok(statement.query_map([task_uid], evidence_of)?.collect::<rusqlite::Result<_>>()?)
}

/// Whether evidence names a commit for the task and none says that it landed.
pub fn is_unlanded(tx: &ReadTx<'_>, task_uid: &str) -> Result<bool> {
    let sql =
        "SELECT EXISTS(SELECT 1 FROM evidence WHERE subject_uid=?1 AND commit_oid IS NOT NULL)
        AND NOT EXISTS(SELECT 1 FROM evidence WHERE subject_uid=?1 AND kind='landed')";
    Ok(tx.conn().prepare_cached(sql)?.query_row([task_uid], |row| row.get(0))?)
}

/// The failed checks of a project that nothing has made good since: the newest one for each task and verb,
/// with the task's uid.
pub fn standing_failures(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<(String, Evidence)>> {
    let mut statement = tx.conn().prepare_cached(&format!(
        "SELECT {EVIDENCE}, subject_uid FROM evidence e WHERE project_pk=?1 AND kind='failed' AND subject='task'
         AND NOT EXISTS(SELECT 1 FROM evidence later WHERE later.subject_uid=e.subject_uid AND later.pk>e.pk
           AND (later.verb=e.verb OR later.kind IN('landed','unverified'))) ORDER BY pk"
    ))?;
    let rows = statement.query_map([project_pk], |row| Ok((row.get(16)?, evidence_of(row)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds a line of the operator's to a project's log and returns its uid.
pub fn insert_log_line(
    tx: &WriteTx<'_>,
    project_pk: i64,
    kind: &str,
    author: &str,
    text: &Text,
) -> Result<String> {
    let uid = Uuid::now_v7().to_string();
    tx.conn().execute(
        "INSERT INTO log_lines(uid,created_at,project_pk,kind,author,text) VALUES(?1,?2,?3,?4,?5,?6)",
        params![uid, tx.at_text(), project_pk, kind, author, text.as_str()],
    )?;
    Ok(uid)
}

/// The texts of one author's lines of one kind in a project's log since a time, oldest first.
pub fn log_lines_of(
    tx: &ReadTx<'_>,
    project_pk: i64,
    (kind, author): (&str, &str),
    since: &str,
) -> Result<Vec<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT text FROM log_lines WHERE project_pk=?1 AND kind=?2 AND author=?3 AND created_at>=?4 ORDER BY pk",
    )?;
    let texts = statement.query_map(params![project_pk, kind, author, since], |row| row.get(0))?;
    Ok(texts.collect::<rusqlite::Result<_>>()?)
}
