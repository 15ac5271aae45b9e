//! Taking back a change group, row by row, or refusing because somebody changed a row since.
//!
//! An op is reversed by its kind and conditions on what it wrote: an update becomes an update of
//! the same columns, a deletion an insertion, an insertion a deletion. Exactly one row must match;
//! that count is the conflict check.

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension as _, params_from_iter};
use serde_json::{Map, Value};

use crate::error::{Result, StoreError};
use crate::log::{self, Op, logged_columns};
use crate::schema::{LOGGED, Logged, referred, table_of};
use crate::tx::{ReadTx, WriteTx};

/// Why a row cannot be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The kind of row.
    pub entity: String,
    /// The row.
    pub uid: String,
    /// What is in the way.
    pub what: String,
    /// The later group that changed it, when the log tells.
    pub group: Option<String>,
    /// Who made that change.
    pub actor: Option<String>,
}

/// What taking back a group did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The ops that were reversed, newest first.
    pub reversed: Vec<Op>,
    /// Ops on this machine's own rows, which other verbs reverse.
    pub local: Vec<Op>,
    /// What is in the way; when not empty, nothing may be kept.
    pub conflicts: Vec<Conflict>,
}

/// Reverses the portable ops of a group inside the open transaction.
///
/// With conflicts in the answer the caller rolls back; a preview is the same call, rolled back.
pub fn reverse(tx: &WriteTx<'_>, group: &str) -> Result<Undone> {
    tx.conn().execute_batch("PRAGMA defer_foreign_keys=ON")?;
    let mut undone = Undone::default();
    for op in log::of_group(tx, group)?.into_iter().rev() {
        if op.scope == "local" {
            undone.local.push(op);
            continue;
        }
        match reverse_op(tx, &op)? {
            None => undone.reversed.push(op),
            Some(what) => undone.conflicts.push(blame(tx, &op, what)?),
        }
    }
    Ok(undone)
}

/// Whether a later undo took this group back already, and which group that was.
pub fn undone_by(tx: &ReadTx<'_>, group: &str) -> Result<Option<String>> {
    let sql = "SELECT later.grp FROM ops mine JOIN ops later ON later.entity=mine.entity AND later.uid=mine.uid
        AND later.seq>mine.seq AND later.intent='undo' AND later.new IS mine.old AND later.old IS mine.new
        WHERE mine.grp=?1 AND mine.scope='portable' ORDER BY later.seq DESC LIMIT 1";
    let reversed = "SELECT later.grp FROM ops mine JOIN ops later ON later.entity=mine.entity AND later.uid=mine.uid
        AND later.seq>mine.seq AND later.intent='undo' AND (mine.old IS NULL)<>(later.old IS NULL)
        WHERE mine.grp=?1 AND mine.scope='portable' AND (mine.old IS NULL OR mine.new IS NULL)
        ORDER BY later.seq DESC LIMIT 1";
    for sql in [sql, reversed] {
        let found = tx.conn().query_row(sql, [group], |row| row.get(0)).optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn reverse_op(tx: &WriteTx<'_>, op: &Op) -> Result<Option<String>> {
    let Some(logged) = table_of(&op.entity) else {
        return Ok(Some(format!("this version does not know rows of the kind {}", op.entity)));
    };
    match (&op.old, &op.new) {
        (Some(old), Some(new)) => {
            let (old, new) = (object(old)?, object(new)?);
            let changed = update(tx, logged, &op.uid, &old, &new)?;
            Ok((changed != 1).then(|| "the row was changed or deleted since".to_owned()))
        }
        (None, Some(new)) => remove(tx, logged, op, &object(new)?),
        (Some(old), None) => restore(tx, logged, op, &object(old)?),
        (None, None) => Ok(None),
    }
}

fn object(text: &str) -> Result<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        _ => {
            Err(StoreError::BadValue { table: "ops", column: "old or new", value: text.to_owned() })
        }
    }
}

/// A logged field as a column and the SQL that gives its value: `x` stands for `x_pk` where the table has that.
fn field(columns: &[String], key: &str, place: usize) -> (String, String) {
    if columns.iter().any(|it| it == key) {
        (key.to_owned(), format!("?{place}"))
    } else {
        (format!("{key}_pk"), format!("(SELECT pk FROM {} WHERE uid=?{place})", referred(key)))
    }
}

/// The columns of a logged row and their values, to be set or compared.
struct Fields {
    values: Vec<Sql>,
    pairs: Vec<(String, String)>,
}

impl Fields {
    fn new(uid: &str) -> Self {
        Self { values: vec![Sql::Text(uid.to_owned())], pairs: Vec::new() }
    }

    fn add(&mut self, columns: &[String], row: &Map<String, Value>) {
        for (key, value) in row {
            self.values.push(sql_value(value));
            self.pairs.push(field(columns, key, self.values.len()));
        }
    }

    fn joined(&self, between: &str, separator: &str, from: usize) -> String {
        let pairs = self
            .pairs
            .iter()
            .skip(from)
            .map(|(column, source)| format!("{column}{between}{source}"));
        pairs.collect::<Vec<_>>().join(separator)
    }
}

fn sql_value(value: &Value) -> Sql {
    match value {
        Value::Null => Sql::Null,
        Value::Bool(it) => Sql::Integer(i64::from(*it)),
        Value::Number(it) => {
            it.as_i64().map_or_else(|| Sql::Real(it.as_f64().unwrap_or(0.0)), Sql::Integer)
        }
        Value::String(it) => Sql::Text(it.clone()),
        Value::Array(_) | Value::Object(_) => Sql::Text(value.to_string()),
    }
}

fn update(
    tx: &WriteTx<'_>,
    logged: &Logged,
    uid: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Result<usize> {
    let columns = logged_columns(tx.conn(), logged.table)?;
    let mut fields = Fields::new(uid);
    fields.add(&columns, old);
    fields.add(&columns, new);
    let set: Vec<String> = fields
        .pairs
        .iter()
        .take(old.len())
        .map(|(column, source)| format!("{column}={source}"))
        .collect();
    let sql = format!(
        "UPDATE {} SET {} WHERE uid=?1 AND {}",
        logged.table,
        set.join(","),
        fields.joined(" IS ", " AND ", old.len())
    );
    Ok(tx.conn().execute(&sql, params_from_iter(fields.values))?)
}

/// Deletes a row that the group made, unless it was changed or others hang on it.
fn remove(
    tx: &WriteTx<'_>,
    logged: &Logged,
    op: &Op,
    new: &Map<String, Value>,
) -> Result<Option<String>> {
    if let Some(child) = first_child(tx, &op.entity, &op.uid)? {
        return Ok(Some(format!("a {child} was added to it since")));
    }
    let mut fields = Fields::new(&op.uid);
    fields.add(&logged_columns(tx.conn(), logged.table)?, new);
    let sql = format!(
        "DELETE FROM {} WHERE uid=?1 AND {}",
        logged.table,
        fields.joined(" IS ", " AND ", 0)
    );
    let changed = tx.conn().execute(&sql, params_from_iter(fields.values))?;
    Ok((changed != 1).then(|| "the row was changed or deleted since".to_owned()))
}

/// The kind of a row that refers to this one, if any is left.
fn first_child(tx: &WriteTx<'_>, entity: &str, uid: &str) -> Result<Option<&'static str>> {
    let words: &[&str] = match entity {
        "project" => &["project"],
        "task" => &["task", "blocker", "blocked"],
        _ => &[],
    };
    for logged in LOGGED {
        for word in words {
            let column = format!("{word}_pk");
            if !logged_columns(tx.conn(), logged.table)?.contains(&column) {
                continue;
            }
            let sql = format!(
                "SELECT EXISTS(SELECT 1 FROM {} WHERE {column}=(SELECT pk FROM {} WHERE uid=?1))",
                logged.table,
                referred(word)
            );
            if tx.conn().query_row(&sql, [uid], |row| row.get(0))? {
                return Ok(Some(logged.entity));
            }
        }
    }
    Ok(None)
}

/// Puts a row back that the group deleted.
fn restore(
    tx: &WriteTx<'_>,
    logged: &Logged,
    op: &Op,
    old: &Map<String, Value>,
) -> Result<Option<String>> {
    let mut fields = Fields::new(&op.uid);
    fields.add(&logged_columns(tx.conn(), logged.table)?, old);
    let columns: Vec<&str> = fields.pairs.iter().map(|it| it.0.as_str()).collect();
    let sources: Vec<&str> = fields.pairs.iter().map(|it| it.1.as_str()).collect();
    let sql = format!(
        "INSERT INTO {}(uid,{}) VALUES(?1,{})",
        logged.table,
        columns.join(","),
        sources.join(",")
    );
    match tx.conn().execute(&sql, params_from_iter(fields.values)) {
        Ok(_) => Ok(None),
        Err(err) if err.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {
            Ok(Some(
                "its name or its place was taken since, or what it belongs to is gone".to_owned(),
            ))
        }
        Err(err) => Err(err.into()),
    }
}

/// Names the newest later change of the same row, so that the refusal can say who made it.
fn blame(tx: &WriteTx<'_>, op: &Op, what: String) -> Result<Conflict> {
    let later = tx
        .conn()
        .query_row(
            "SELECT grp, actor FROM ops WHERE entity=?1 AND uid=?2 AND seq>?3 AND grp<>?4
             AND grp<>(SELECT grp FROM writer) ORDER BY seq DESC LIMIT 1",
            rusqlite::params![op.entity, op.uid, op.seq, op.group],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let (group, actor) = later.unzip();
    Ok(Conflict { entity: op.entity.clone(), uid: op.uid.clone(), what, group, actor })
}
