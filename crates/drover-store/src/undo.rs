//! Taking back a change group, row by row, or refusing because somebody changed a row since.
//!
//! An op is reversed by its kind and conditions on what it wrote: an update becomes an update of
//! the same columns, a deletion an insertion, an insertion a deletion. Exactly one row must match;
//! that count is the conflict check.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension as _, params, params_from_iter};
use serde_json::{Map, Value};

use crate::cycles;
use crate::error::Result;
use crate::log::{self, Op, logged_columns};
use crate::rows::{Fields, object};
use crate::schema::{LOGGED, Logged, Scope, referred, table_of};
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
    /// The columns that were changed since.
    pub fields: Vec<String>,
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

/// The intent of a transaction that takes back a group; what was undone is told by it alone.
pub fn intent(group: &str) -> String {
    format!("undo:{group}")
}

/// Reverses the portable ops of a group inside the open transaction.
///
/// With conflicts in the answer the caller rolls back; a preview is the same call, rolled back.
pub fn reverse(tx: &WriteTx<'_>, group: &str) -> Result<Undone> {
    tx.conn().execute_batch("PRAGMA defer_foreign_keys=ON")?;
    let mut reversal = Reversal { tx, tables: HashMap::new(), children: HashMap::new() };
    let mut undone = Undone::default();
    let known = cycles::known(tx)?;
    for op in log::of_group(tx, group)?.into_iter().rev() {
        if op.scope == Scope::Local.as_str() {
            undone.local.push(op);
            continue;
        }
        match reversal.reverse(&op)? {
            None => undone.reversed.push(op),
            Some(obstacle) => undone.conflicts.push(blame(tx, &op, &obstacle)?),
        }
    }
    if undone.conflicts.is_empty() {
        // A task that comes back stands last, and so behind those that it blocks: the order settles, too.
        undone.conflicts.extend(cycle(tx, &known, &undone.reversed)?);
    }
    Ok(undone)
}

/// What is in the way when an edge that was put back closes a cycle with edges that came since.
fn cycle(tx: &WriteTx<'_>, known: &HashSet<i64>, reversed: &[Op]) -> Result<Option<Conflict>> {
    let Some(cycle) = cycles::new(tx, known)? else { return Ok(None) };
    let is_back = |uid: &String| reversed.iter().any(|it| it.uid == *uid);
    let (back, others): (Vec<&String>, Vec<&String>) =
        cycle.edges.iter().partition(|it| is_back(it));
    let mut newest: Option<Op> = None;
    for uid in others {
        let (entities, uid) = (vec!["edge".to_owned()], Some(uid.clone()));
        let ops = log::read(tx, &log::Filter { entities, uid, ..log::Filter::default() })?;
        newest =
            newest.into_iter().chain(ops).filter(|it| it.old.is_none()).max_by_key(|it| it.seq);
    }
    Ok(Some(Conflict {
        entity: "edge".to_owned(),
        uid: back.first().map_or_else(String::new, |it| (*it).clone()),
        what: format!("it would close the cycle {}", cycle.ids.join(" > ")),
        fields: Vec::new(),
        group: newest.as_ref().map(|it| it.group.clone()),
        actor: newest.map(|it| it.actor),
    }))
}

/// The undo that took this group back, unless that undo was itself taken back.
pub fn undone_by(tx: &ReadTx<'_>, group: &str) -> Result<Option<String>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT grp FROM ops WHERE intent=?1 AND intent GLOB 'undo:*' ORDER BY seq DESC LIMIT 1",
    )?;
    let mut latest = |group: &str| -> Result<Option<String>> {
        Ok(statement.query_row([intent(group)], |row| row.get(0)).optional()?)
    };
    let first = latest(group)?;
    let (mut last, mut is_undone) = (first.clone(), false);
    while let Some(undo) = last {
        is_undone = !is_undone;
        last = latest(&undo)?;
    }
    Ok(first.filter(|_| is_undone))
}

/// What keeps an op from being reversed.
enum Obstacle {
    /// The row does not say any more what the op wrote.
    Changed,
    /// A row that refers to it was added.
    Child { entity: &'static str, uid: String },
    /// A row that it refers to is gone.
    Orphan { entity: &'static str, uid: String },
    /// The name it would get back is another row's.
    Taken { entity: &'static str, uid: String, name: String },
    /// It is there although it was deleted, or its place is.
    Present,
    /// A newer version wrote it.
    UnknownKind,
}

/// One reversal, with what it has learnt of the tables.
struct Reversal<'a> {
    tx: &'a WriteTx<'a>,
    /// The columns of each table.
    tables: HashMap<&'static str, Vec<String>>,
    /// For each kind of row, the queries that find a row which refers to it.
    children: HashMap<&'static str, Vec<(&'static str, String)>>,
}

impl Reversal<'_> {
    fn reverse(&mut self, op: &Op) -> Result<Option<Obstacle>> {
        let Some(logged) = table_of(&op.entity) else { return Ok(Some(Obstacle::UnknownKind)) };
        let obstacle = match (&op.old, &op.new) {
            (Some(old), Some(new)) => self.update(logged, &op.uid, &object(old)?, &object(new)?),
            (None, Some(new)) => self.remove(logged, &op.uid, &object(new)?),
            (Some(old), None) => self.restore(logged, &op.uid, &object(old)?),
            (None, None) => Ok(None),
        }?;
        match obstacle {
            None if op.entity == "project" => self.namesake(&op.uid),
            obstacle => Ok(obstacle),
        }
    }

    /// Another project that goes by the name which this one has again: no constraint keeps them apart.
    fn namesake(&self, uid: &str) -> Result<Option<Obstacle>> {
        let found = self.tx.conn().query_row(
            "SELECT other.uid, other.name FROM projects it JOIN projects other ON other.name=it.name AND other.uid<>it.uid
             WHERE it.uid=?1 AND it.state<>'archived' AND other.state<>'archived' LIMIT 1",
            [uid],
            |row| Ok(Obstacle::Taken { entity: "project", uid: row.get(0)?, name: row.get(1)? }),
        );
        Ok(found.optional()?)
    }

    fn columns(&mut self, table: &'static str) -> Result<&[String]> {
        if !self.tables.contains_key(table) {
            self.tables.insert(table, logged_columns(self.tx.conn(), table)?);
        }
        Ok(self.tables.get(table).map_or(&[], Vec::as_slice))
    }

    fn update(
        &mut self,
        logged: &Logged,
        uid: &str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Result<Option<Obstacle>> {
        let columns = self.columns(logged.table)?;
        let mut fields = Fields::new(uid);
        fields.add(columns, old);
        fields.add(columns, new);
        let sql = format!(
            "UPDATE {} SET {} WHERE uid=?1 AND {}",
            logged.table,
            fields.joined("=", ",", 0..old.len()),
            fields.joined(" IS ", " AND ", old.len()..fields.pairs.len())
        );
        match self.execute(&sql, fields)? {
            Some(1) => Ok(None),
            Some(_) => Ok(Some(Obstacle::Changed)),
            None => Ok(Some(self.clash(logged, uid, old)?)),
        }
    }

    /// Deletes a row that the group made, unless it was changed or others hang on it.
    fn remove(
        &mut self,
        logged: &Logged,
        uid: &str,
        new: &Map<String, Value>,
    ) -> Result<Option<Obstacle>> {
        if let Some(child) = self.first_child(logged.entity, uid)? {
            return Ok(Some(child));
        }
        let mut fields = Fields::new(uid);
        fields.add(self.columns(logged.table)?, new);
        let sql = format!(
            "DELETE FROM {} WHERE uid=?1 AND {}",
            logged.table,
            fields.joined(" IS ", " AND ", 0..fields.pairs.len())
        );
        let changed = self.execute(&sql, fields)?;
        Ok((changed != Some(1)).then_some(Obstacle::Changed))
    }

    /// Puts a row back that the group deleted.
    fn restore(
        &mut self,
        logged: &Logged,
        uid: &str,
        old: &Map<String, Value>,
    ) -> Result<Option<Obstacle>> {
        let mut fields = Fields::new(uid);
        fields.add(self.columns(logged.table)?, old);
        let columns: Vec<&str> = fields.pairs.iter().map(|it| it.0.as_str()).collect();
        let sources: Vec<&str> = fields.pairs.iter().map(|it| it.1.as_str()).collect();
        let sql = format!(
            "INSERT INTO {}(uid,{}) VALUES(?1,{})",
            logged.table,
            columns.join(","),
            sources.join(",")
        );
        match self.execute(&sql, fields)? {
            Some(_) => Ok(None),
            None => Ok(Some(self.clash(logged, uid, old)?)),
        }
    }

    /// How many rows a statement changed; `None` when a constraint stood in the way.
    fn execute(&self, sql: &str, fields: Fields) -> Result<Option<usize>> {
        let mut statement = self.tx.conn().prepare_cached(sql)?;
        match statement.execute(params_from_iter(fields.values)) {
            Ok(changed) => Ok(Some(changed)),
            Err(err)
                if err.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) =>
            {
                Ok(None)
            }
            Err(err) => Err(err.into()),
        }
    }

    /// Which constraint stands in the way of giving a row these values back.
    fn clash(&mut self, logged: &Logged, uid: &str, row: &Map<String, Value>) -> Result<Obstacle> {
        let columns = self.columns(logged.table)?.to_vec();
        for (key, value) in row {
            if columns.contains(key) || value.is_null() {
                continue;
            }
            let (table, parent) = (referred(key), value.as_str().unwrap_or_default());
            let sql = format!("SELECT EXISTS(SELECT 1 FROM {table} WHERE uid=?1)");
            let is_there: bool = self.tx.conn().query_row(&sql, [parent], |row| row.get(0))?;
            if !is_there {
                let entity =
                    LOGGED.iter().find(|it| it.table == table).map_or("row", |it| it.entity);
                return Ok(Obstacle::Orphan { entity, uid: parent.to_owned() });
            }
        }
        let Some(name) = row.get("name").and_then(Value::as_str) else {
            return Ok(Obstacle::Present);
        };
        let other = self.tx.conn().prepare_cached(
            "SELECT t.uid FROM task_derived d JOIN tasks t ON t.pk=d.task_pk WHERE d.handle=?1 AND t.uid<>?2
             AND d.project_pk=coalesce((SELECT pk FROM projects WHERE uid=?3),(SELECT project_pk FROM tasks WHERE uid=?2))",
        )?.query_row(params![name, uid, row.get("project").and_then(Value::as_str)], |row| row.get(0));
        Ok(match other.optional()? {
            Some(uid) if logged.entity == "task" => {
                Obstacle::Taken { entity: "task", uid, name: name.to_owned() }
            }
            _ => Obstacle::Present,
        })
    }

    /// A row that refers to this one, if any is left.
    fn first_child(&mut self, entity: &'static str, uid: &str) -> Result<Option<Obstacle>> {
        if !self.children.contains_key(entity) {
            let queries = self.queries_for_children(entity)?;
            self.children.insert(entity, queries);
        }
        for (entity, sql) in self.children.get(entity).map_or(&[] as &[_], Vec::as_slice) {
            let mut statement = self.tx.conn().prepare_cached(sql)?;
            let found = statement.query_row([uid], |row| row.get(0)).optional()?;
            if let Some(uid) = found {
                return Ok(Some(Obstacle::Child { entity, uid }));
            }
        }
        Ok(None)
    }

    fn queries_for_children(&mut self, entity: &str) -> Result<Vec<(&'static str, String)>> {
        let words: &[&str] = match entity {
            "project" => &["project"],
            "task" => &["task", "blocker", "blocked"],
            _ => &[],
        };
        let mut queries = Vec::new();
        for logged in LOGGED {
            for word in words {
                let column = format!("{word}_pk");
                if self.columns(logged.table)?.contains(&column) {
                    let (table, parents) = (logged.table, referred(word));
                    let sql = format!(
                        "SELECT uid FROM {table} WHERE {column}=(SELECT pk FROM {parents} WHERE uid=?1) LIMIT 1"
                    );
                    queries.push((logged.entity, sql));
                }
            }
        }
        Ok(queries)
    }
}

/// Says what is in the way, and names the later change and who made it where the log tells.
fn blame(tx: &WriteTx<'_>, op: &Op, obstacle: &Obstacle) -> Result<Conflict> {
    let mut conflict = Conflict {
        entity: op.entity.clone(),
        uid: op.uid.clone(),
        what: String::new(),
        fields: Vec::new(),
        group: None,
        actor: None,
    };
    let (entity, uid, pick): (&str, &str, fn(&Op) -> bool) = match obstacle {
        Obstacle::Changed => return later_change(tx, op, conflict),
        Obstacle::UnknownKind => {
            "this version does not know rows of this kind".clone_into(&mut conflict.what);
            return Ok(conflict);
        }
        Obstacle::Present => {
            "its place was taken since".clone_into(&mut conflict.what);
            return Ok(conflict);
        }
        Obstacle::Child { entity, uid } => {
            let is_local = table_of(entity).is_some_and(|it| it.scope == Scope::Local);
            let why = if is_local { "it still has a" } else { "it was given a" };
            conflict.what = format!("{why} {}", entity.replace('_', " "));
            (entity, uid, |it| it.old.is_none())
        }
        Obstacle::Orphan { entity, uid } => {
            conflict.what = format!("the {entity} it belongs to was deleted");
            (entity, uid, |it| it.new.is_none())
        }
        Obstacle::Taken { entity, uid, name } => {
            conflict.what = format!("the name {name} was given to another {entity}");
            conflict.fields = vec!["name".to_owned()];
            (entity, uid, |it| it.new.as_deref().is_some_and(|it| it.contains("\"name\":")))
        }
    };
    let filter = log::Filter {
        entities: vec![entity.to_owned()],
        uid: Some(uid.to_owned()),
        ..log::Filter::default()
    };
    let later = log::read(tx, &filter)?.into_iter().rev().find(pick);
    conflict.group = later.as_ref().map(|it| it.group.clone());
    conflict.actor = later.map(|it| it.actor);
    Ok(conflict)
}

/// Names the newest change, after the op and outside its group, of a field that the op wrote.
fn later_change(tx: &WriteTx<'_>, op: &Op, mut conflict: Conflict) -> Result<Conflict> {
    let written = object(op.new.as_deref().unwrap_or("{}"))?;
    let current: String = tx.conn().query_row("SELECT grp FROM writer", [], |row| row.get(0))?;
    let filter = log::Filter {
        after: Some(op.seq),
        entities: vec![op.entity.clone()],
        uid: Some(op.uid.clone()),
        ..log::Filter::default()
    };
    "it was changed since".clone_into(&mut conflict.what);
    for later in log::read(tx, &filter)?.into_iter().rev() {
        if later.group == op.group || later.group == current {
            continue;
        }
        let Some(new) = &later.new else {
            "it was deleted since".clone_into(&mut conflict.what);
            (conflict.group, conflict.actor) = (Some(later.group), Some(later.actor));
            return Ok(conflict);
        };
        let fields: Vec<String> =
            object(new)?.keys().filter(|it| written.contains_key(*it)).cloned().collect();
        if !fields.is_empty() {
            conflict.what = format!("{} was changed since", fields.join(", "));
            conflict.fields = fields;
            (conflict.group, conflict.actor) = (Some(later.group), Some(later.actor));
            return Ok(conflict);
        }
    }
    Ok(conflict)
}
