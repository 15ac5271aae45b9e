//! Writing the rows anew from the log alone, into a database of its own.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, params, params_from_iter};

use crate::connection;
use crate::error::Result;
use crate::log::logged_columns;
use crate::rows::{Fields, object};
use crate::schema::{APPLICATION_ID, LOGGED, Logged, referred, table_of};
use crate::tx::time_text;
use crate::{identity, migrate};

/// How many changes that found no row are told.
const TOLD: usize = 20;
/// One statement for each set of columns that a change of a table has named.
const STATEMENTS: usize = 256;

/// What came of replaying a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many changes the log holds.
    pub ops: usize,
    /// How many of them changed a row.
    pub applied: usize,
    /// Changes of rows that this version knows no table for, by entity.
    pub log_only: BTreeMap<String, usize>,
    /// How many changes found no row, or no place for one.
    pub misfits: usize,
    /// The first of them in words.
    pub told: Vec<String>,
}

/// A file that goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Private(pub(crate) PathBuf);

impl Drop for Private {
    fn drop(&mut self) {
        // It has been placed, or a leftover that `doctor` names is the worst of it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A database that is being written from the log of another one, which is attached as `source`.
#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) conn: Connection,
    pub(crate) replayed: Replayed,
}

impl Replay {
    /// Builds an empty database at a place where nothing is, and writes into it what the log of `source` says.
    ///
    /// The transaction that reads the source stays open, so that whoever goes on sees it as the log did.
    pub(crate) fn begin(source: &Path, place: &Path, at: Timestamp) -> Result<Self> {
        let conn = connection::create(place)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        // Nobody else knows the file, and it is thrown away when anything fails.
        conn.execute_batch(&format!(
            "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;
             PRAGMA application_id={APPLICATION_ID};"
        ))?;
        migrate::apply(&conn, 0, &[], |conn| identity::create(conn, "", at))?;
        conn.execute("ATTACH DATABASE ?1 AS source", [source.to_string_lossy()])?;
        // Not an immediate one, which would lock the source for writing too.
        conn.execute_batch("BEGIN")?;
        conn.execute(
            "INSERT INTO main.writer(one,actor,intent,grp,machine,now_hlc,at,mode) VALUES(1,'','rebuild','','',0,?1,'apply')",
            [time_text(at)],
        )?;
        let mut replay = Self { conn, replayed: Replayed::default() };
        replay.run()?;
        replay.conn.execute("DELETE FROM main.writer", [])?;
        Ok(replay)
    }

    /// Every change in the order in which this machine learnt of it, which is that of its clock.
    fn run(&mut self) -> Result<()> {
        let mut statement = self
            .conn
            .prepare("SELECT seq, entity, uid, old, new, at FROM source.ops ORDER BY seq")?;
        let mut rows = statement.query([])?;
        let mut columns: HashMap<&'static str, Vec<String>> = HashMap::new();
        let mut last = String::new();
        while let Some(row) = rows.next()? {
            let change = Change {
                seq: row.get(0)?,
                entity: row.get(1)?,
                uid: row.get(2)?,
                old: row.get(3)?,
                new: row.get(4)?,
            };
            self.replayed.ops += 1;
            let at: String = row.get(5)?;
            if at != last {
                // Derived times follow the writer's.
                self.conn.prepare_cached("UPDATE main.writer SET at=?1")?.execute([&at])?;
                last = at;
            }
            let Some(logged) = table_of(&change.entity) else {
                *self.replayed.log_only.entry(change.entity).or_default() += 1;
                continue;
            };
            if !columns.contains_key(logged.table) {
                columns.insert(logged.table, logged_columns(&self.conn, logged.table)?);
            }
            let columns = columns.get(logged.table).map_or(&[] as &[_], Vec::as_slice);
            match change.apply(&self.conn, logged, columns)? {
                1 => self.replayed.applied += 1,
                _ => tell(&mut self.replayed, &change),
            }
        }
        Ok(())
    }

    /// Takes over what the log does not tell: who the machine is, its clock, and the names that were given away.
    pub(crate) fn take_identity(&self) -> Result<()> {
        // A rebuilt directory is another incarnation, as a copied or restored one is.
        self.conn.execute_batch(
            "UPDATE main.identity SET (machine_uid, machine_name, incarnation, created_at)=
               (SELECT machine_uid, machine_name, incarnation+1, created_at FROM source.identity);
             UPDATE main.clock SET hlc=(SELECT hlc FROM source.clock);
             INSERT INTO main.project_names(name,generation) SELECT name, generation FROM source.project_names;
             INSERT INTO main.project_names(name,generation)
               SELECT new->>'name', max(coalesce(new->>'generation',1)) FROM source.ops
               WHERE entity='project' AND new->>'name' IS NOT NULL GROUP BY 1
               ON CONFLICT(name) DO UPDATE SET generation=max(generation,excluded.generation);
             INSERT INTO main.ops(seq,hlc,machine,grp,actor,intent,entity,uid,op,old,new,scope,at)
               SELECT seq,hlc,machine,grp,actor,intent,entity,uid,op,old,new,scope,at FROM source.ops ORDER BY seq;
             DELETE FROM main.sqlite_sequence WHERE name='ops';
             INSERT INTO main.sqlite_sequence(name,seq) SELECT name, seq FROM source.sqlite_sequence WHERE name='ops';",
        )?;
        Ok(())
    }

    /// How many rows each logged table has.
    pub(crate) fn rows(&self) -> Result<Vec<(&'static str, usize)>> {
        LOGGED.iter().map(|it| Ok((it.table, count(&self.conn, "main", it.table)?))).collect()
    }

    /// Takes over the rows of a table that is not logged, each under the keys that its rows have here.
    pub(crate) fn carry(&self, table: &str) -> Result<usize> {
        let mut statement =
            self.conn.prepare("SELECT name FROM pragma_table_info(?1, 'main') WHERE name<>'pk'")?;
        let columns = statement.query_map([table], |row| row.get::<_, String>(0))?;
        let columns = columns.collect::<rusqlite::Result<Vec<_>>>()?;
        let value = |column: &String| match column.strip_suffix("_pk") {
            Some(word) => here(word, column),
            None => format!("s.{column}"),
        };
        let values: Vec<String> = columns.iter().map(value).collect();
        let keys = columns.iter().zip(&values).filter(|it| it.0.ends_with("_pk"));
        let known: Vec<String> = keys.map(|it| format!("{} IS NOT NULL", it.1)).collect();
        let known = if known.is_empty() { "1".to_owned() } else { known.join(" AND ") };
        let sql = format!(
            "INSERT INTO main.{table}({}) SELECT {} FROM source.{table} s WHERE {known}",
            columns.join(","),
            values.join(",")
        );
        Ok(self.conn.execute(&sql, [])?)
    }
}

/// The key here of the row that a column of the source refers to.
fn here(word: &str, column: &str) -> String {
    let table = referred(word);
    format!(
        "(SELECT n.pk FROM source.{table} o JOIN main.{table} n ON n.uid=o.uid WHERE o.pk=s.{column})"
    )
}

/// How many rows a table has.
pub(crate) fn count(conn: &Connection, schema: &str, table: &str) -> Result<usize> {
    let sql = format!("SELECT count(*) FROM {schema}.{table}");
    let count: i64 = conn.query_row(&sql, [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

fn tell(replayed: &mut Replayed, change: &Change) {
    replayed.misfits += 1;
    if replayed.told.len() < TOLD {
        let Change { seq, entity, uid, .. } = change;
        replayed
            .told
            .push(format!("change {seq} of the {entity} {uid} finds no row it belongs to"));
    }
}

/// One line of the log.
struct Change {
    seq: i64,
    entity: String,
    uid: String,
    old: Option<String>,
    new: Option<String>,
}

impl Change {
    /// Does it again, and says how many rows changed.
    fn apply(&self, conn: &Connection, logged: &Logged, columns: &[String]) -> Result<usize> {
        let table = logged.table;
        let Some(new) = &self.new else {
            let sql = format!("DELETE FROM main.{table} WHERE uid=?1");
            return Ok(conn.prepare_cached(&sql)?.execute(params![self.uid])?);
        };
        let mut fields = Fields::new(&self.uid);
        fields.add(columns, &object(new)?);
        let sql = if self.old.is_some() {
            let set = fields.joined("=", ",", 0..fields.pairs.len());
            format!("UPDATE main.{table} SET {set} WHERE uid=?1")
        } else {
            let names: Vec<&str> = fields.pairs.iter().map(|it| it.0.as_str()).collect();
            let values: Vec<&str> = fields.pairs.iter().map(|it| it.1.as_str()).collect();
            format!(
                "INSERT INTO main.{table}(uid,{}) VALUES(?1,{})",
                names.join(","),
                values.join(",")
            )
        };
        match conn.prepare_cached(&sql)?.execute(params_from_iter(fields.values)) {
            Err(err)
                if err.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) =>
            {
                Ok(0)
            }
            other => Ok(other?),
        }
    }
}
