//! Statements that a person writes: fenced in, counted, and bounded in time and size.

mod error;
mod fence;
mod rules;

use std::fmt;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, ErrorCode, Row, Statement};

use crate::error::StoreError;
use crate::tx::{ReadTx, WriteTx};

pub use error::{Result, SqlError};
pub use fence::Fence;
pub use rules::Reader;

/// The most bytes of values that are kept for an answer.
const MOST_BYTES: usize = 64 << 20;

/// What a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// How many statements.
    pub statements: usize,
    /// Whether one of them changes something.
    pub is_writing: bool,
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text; bytes that are not UTF-8 are replaced.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("NULL"),
            Self::Integer(number) => number.fmt(formatter),
            Self::Real(number) => number.fmt(formatter),
            Self::Text(text) => formatter.write_str(text),
            Self::Bytes(bytes) => {
                formatter.write_str("x'")?;
                bytes.iter().try_for_each(|it| write!(formatter, "{it:02x}"))?;
                formatter.write_str("'")
            }
        }
    }
}

/// What statements returned.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The names of the columns of the last statement that returns rows.
    pub columns: Vec<String>,
    /// Its rows, or the first of them.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it has more rows than were kept.
    pub is_cut: bool,
    /// How many rows all statements changed, what triggers changed not counted.
    pub changed: u64,
}

/// Reads every statement of a text without running one.
pub fn examine(tx: &ReadTx<'_>, fence: &Fence, text: &str) -> Result<Program> {
    let _inside = fence.close();
    let mut found = Program { statements: 0, is_writing: false };
    let mut batch = Batch::new(tx.conn(), text);
    while let Some(statement) = batch.next().map_err(|err| told(fence, err))? {
        found.statements += 1;
        found.is_writing |= !statement.readonly();
    }
    Ok(found)
}

/// Runs statements that only read; at most `most` rows of the last one are kept.
pub fn read(tx: &ReadTx<'_>, fence: &Fence, text: &str, most: Option<usize>) -> Result<Answer> {
    let _inside = fence.close();
    let mut answer = Answer::default();
    let mut batch = Batch::new(tx.conn(), text);
    while let Some(mut statement) = batch.next().map_err(|err| told(fence, err))? {
        run(&mut statement, &mut answer, most).map_err(|err| told(fence, err))?;
        if !statement.readonly() {
            answer.changed += tx.conn().changes();
        }
    }
    Ok(answer)
}

/// The same for statements that change rows, each change logged under the writer of the transaction.
pub fn write(tx: &WriteTx<'_>, fence: &Fence, text: &str, most: Option<usize>) -> Result<Answer> {
    let before: i64 = last_seq(tx)?;
    let answer = read(tx, fence, text, most)?;
    check_values(tx, before)?;
    Ok(answer)
}

fn last_seq(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(crate::log::last_seq(tx)?)
}

/// Refuses what the program could not read back: the columns that hold lists.
fn check_values(tx: &ReadTx<'_>, after: i64) -> Result<()> {
    let sql = "SELECT t.name FROM ops o JOIN tasks t ON t.uid=o.uid WHERE o.seq>?1 AND o.entity='task'
        AND NOT(json_valid(t.owns) AND json_type(t.owns)='array' AND json_valid(t.labels) AND json_type(t.labels)='array'
          AND trim(t.title)<>'') LIMIT 1";
    let mut statement = tx.conn().prepare(sql).map_err(StoreError::from)?;
    let mut rows = statement.query([after]).map_err(StoreError::from)?;
    match rows.next().map_err(StoreError::from)? {
        None => Ok(()),
        Some(row) => {
            let name: String = row.get(0).map_err(StoreError::from)?;
            let what = format!(
                "task {name} would have a blank title, or owns or labels that are no JSON array"
            );
            Err(SqlError::Constraint { what })
        }
    }
}

fn run(
    statement: &mut Statement<'_>,
    answer: &mut Answer,
    most: Option<usize>,
) -> rusqlite::Result<()> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    if width > 0 {
        *answer = Answer { columns: apart(columns), changed: answer.changed, ..Answer::default() };
    }
    let is_writing = !statement.readonly();
    let mut bytes = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        if answer.is_cut || most.is_some_and(|it| answer.rows.len() >= it) || bytes > MOST_BYTES {
            answer.is_cut = true;
            // A change is made row by row, so it is carried to its end.
            if is_writing {
                continue;
            }
            break;
        }
        let cells = cells(row, width)?;
        bytes += cells.iter().map(size).sum::<usize>();
        answer.rows.push(cells);
    }
    Ok(())
}

/// The names, each of them once: `id` and `id` are `id` and `id:2`.
fn apart(columns: Vec<String>) -> Vec<String> {
    let mut apart: Vec<String> = Vec::with_capacity(columns.len());
    for name in columns {
        let mut own = name.clone();
        let mut number = 1;
        while apart.contains(&own) {
            number += 1;
            own = format!("{name}:{number}");
        }
        apart.push(own);
    }
    apart
}

fn cells(row: &Row<'_>, width: usize) -> rusqlite::Result<Vec<Cell>> {
    let cell = |it: ValueRef<'_>| match it {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
    };
    (0..width).map(|it| row.get_ref(it).map(cell)).collect()
}

fn size(cell: &Cell) -> usize {
    std::mem::size_of::<Cell>()
        + match cell {
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => 0,
        }
}

/// Says what SQLite's error means for what was written.
fn told(fence: &Fence, err: rusqlite::Error) -> SqlError {
    if let Some(refused) = fence.take_refused() {
        return refused;
    }
    match err.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => return SqlError::TimedOut,
        Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => return SqlError::TooLarge,
        _ => {}
    }
    match err {
        rusqlite::Error::SqlInputError { msg, offset, .. } => {
            SqlError::Invalid { what: msg, at: usize::try_from(offset).ok() }
        }
        rusqlite::Error::SqliteFailure(code, Some(what)) => match code.code {
            // SQLite asks no leave for it, and never does it within a transaction.
            ErrorCode::Unknown if what.contains("VACUUM") => {
                let what = "write the whole file anew".to_owned();
                SqlError::Fenced { what, verb: Some("drover db backup") }
            }
            ErrorCode::ConstraintViolation => SqlError::Constraint { what },
            ErrorCode::Unknown | ErrorCode::TypeMismatch => SqlError::Invalid { what, at: None },
            _ => SqlError::Store(rusqlite::Error::SqliteFailure(code, Some(what)).into()),
        },
        other => SqlError::Store(other.into()),
    }
}
