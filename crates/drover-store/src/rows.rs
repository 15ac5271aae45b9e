//! A logged row as columns and values, for those who write rows as the log tells them.

use rusqlite::params;
use rusqlite::types::Value as Sql;
use serde_json::{Map, Value};

use crate::error::{Result, StoreError};
use crate::schema::referred;
use crate::tx::ReadTx;

/// What a deletion says that the log says before: nothing, for it is told by what stands there.
pub(crate) const SAID_BEFORE: &str = "{}";

/// A logged row, or part of one.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>> {
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
pub(crate) struct Fields {
    /// The row's uid, then the values, in the order of their places.
    pub(crate) values: Vec<Sql>,
    /// Each column with the SQL that gives its value.
    pub(crate) pairs: Vec<(String, String)>,
}

impl Fields {
    pub(crate) fn new(uid: &str) -> Self {
        Self { values: vec![Sql::Text(uid.to_owned())], pairs: Vec::new() }
    }

    pub(crate) fn add(&mut self, columns: &[String], row: &Map<String, Value>) {
        for (key, value) in row {
            self.values.push(sql_value(value));
            self.pairs.push(field(columns, key, self.values.len()));
        }
    }

    pub(crate) fn joined(
        &self,
        between: &str,
        separator: &str,
        range: std::ops::Range<usize>,
    ) -> String {
        let pairs = self.pairs.get(range).unwrap_or_default().iter();
        pairs
            .map(|(column, source)| format!("{column}{between}{source}"))
            .collect::<Vec<_>>()
            .join(separator)
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

/// A row as the log tells it just before a change: its first columns with every later change in them.
pub(crate) fn row_before(
    tx: &ReadTx<'_>,
    (entity, uid): (&str, &str),
    seq: i64,
) -> Result<Option<Map<String, Value>>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT new FROM ops WHERE entity=?1 AND uid=?2 AND seq<?3 AND op='put' AND seq>=(
           SELECT max(seq) FROM ops WHERE entity=?1 AND uid=?2 AND seq<?3 AND op='put' AND old IS NULL) ORDER BY seq",
    )?;
    let mut rows = statement.query(params![entity, uid, seq])?;
    let mut whole: Option<Map<String, Value>> = None;
    while let Some(row) = rows.next()? {
        let part = object(&row.get::<_, String>(0)?)?;
        match &mut whole {
            Some(whole) => whole.extend(part),
            None => whole = Some(part),
        }
    }
    Ok(whole)
}
