//! Whether the rows are what the log says: it is replayed into a database that nobody keeps, and the two are compared.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::Connection;
use uuid::Uuid;

use crate::error::Result;
use crate::log::logged_columns;
use crate::replay::{Private, Replay, Replayed};
use crate::schema::{LOGGED, Logged, referred};

/// How many rows of a table are told.
const TOLD: usize = 20;

/// How a row and the log differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The log knows no such row.
    NotInLog,
    /// The log knows a row that is not there.
    NotThere,
    /// These columns are not what the log says.
    Columns(Vec<String>),
}

/// A row that is not as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drifted {
    /// Which row.
    pub uid: String,
    /// How it differs.
    pub difference: Difference,
}

/// A table with rows that are not as the log has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftedTable {
    /// The word for its rows.
    pub entity: &'static str,
    /// The table.
    pub table: &'static str,
    /// How many such rows there are.
    pub count: usize,
    /// The first of them.
    pub rows: Vec<Drifted>,
}

/// What came of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// What the log said.
    pub replayed: Replayed,
    /// How many rows were compared.
    pub rows: usize,
    /// The tables that are not as the log has them.
    pub tables: Vec<DriftedTable>,
}

impl Drift {
    /// Whether every row is what the log says.
    pub fn is_none(&self) -> bool {
        self.tables.is_empty() && self.replayed.misfits == 0
    }
}

/// Replays the log of a database and compares every logged row; others may go on writing meanwhile.
pub fn drift(source: &Path, directory: &Path, at: Timestamp) -> Result<Drift> {
    let private = Private(directory.join(format!(".drover-deep-{}", Uuid::now_v7())));
    let replay = Replay::begin(source, &private.0, at)?;
    let mut tables = Vec::new();
    for logged in LOGGED {
        let found = compare(&replay.conn, logged)?;
        if found.count > 0 {
            tables.push(found);
        }
    }
    let rows = replay.rows()?.iter().map(|it| it.1).sum();
    Ok(Drift { replayed: replay.replayed, rows, tables })
}

fn compare(conn: &Connection, logged: &Logged) -> Result<DriftedTable> {
    let Logged { entity, table, .. } = logged;
    let columns = logged_columns(conn, table)?;
    let differs: Vec<String> = columns.iter().map(|it| differs(it)).collect();
    let flags: Vec<String> = differs.iter().map(|it| format!("({it})")).collect();
    let mut found = DriftedTable { entity, table, count: 0, rows: Vec::new() };
    // Row by row along the index of uids: a large table needs no more memory than a small one.
    let sql = format!(
        "SELECT s.uid, m.uid IS NULL, json_array({}) FROM source.{table} s LEFT JOIN main.{table} m ON m.uid=s.uid
         WHERE m.uid IS NULL OR {}",
        flags.join(","),
        flags.join(" OR ")
    );
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (uid, is_unknown, flags): (String, bool, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        found.add(uid, || if is_unknown { Difference::NotInLog } else { named(&columns, &flags) });
    }
    let sql = format!(
        "SELECT m.uid FROM main.{table} m LEFT JOIN source.{table} s ON s.uid=m.uid WHERE s.uid IS NULL"
    );
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        found.add(row.get(0)?, || Difference::NotThere);
    }
    Ok(found)
}

impl DriftedTable {
    fn add(&mut self, uid: String, difference: impl FnOnce() -> Difference) {
        self.count += 1;
        if self.rows.len() < TOLD {
            self.rows.push(Drifted { uid, difference: difference() });
        }
    }
}

/// SQL that says whether a column of `s` and `m` differ; references are compared by uid.
fn differs(column: &str) -> String {
    match column.strip_suffix("_pk") {
        Some(word) => {
            let uid = |schema: &str, row: &str| {
                format!("(SELECT uid FROM {schema}.{} WHERE pk={row}.{column})", referred(word))
            };
            format!("{} IS NOT {}", uid("source", "s"), uid("main", "m"))
        }
        None => format!("s.{column} IS NOT m.{column}"),
    }
}

fn named(columns: &[String], flags: &str) -> Difference {
    let flags: Vec<i64> = serde_json::from_str(flags).unwrap_or_default();
    let named = columns.iter().zip(flags).filter(|it| it.1 == 1);
    Difference::Columns(named.map(|it| it.0.clone()).collect())
}
