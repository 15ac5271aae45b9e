//! Rows that a person asked for as JSON.

use drover_ops::rows::Cell;
use drover_ops::sql::Queried;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Items;

/// What statements returned and changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueryAnswer {
    /// The columns of the last statement that returns rows, in order; a name that stands twice is numbered.
    columns: Vec<String>,
    /// Its rows, each value under its column: numbers, texts, null, and bytes as `x'…'`.
    rows: Items<Map<String, Value>>,
    /// Whether there are more rows.
    more: bool,
    /// How many statements were run.
    statements: usize,
    /// How many rows they changed; null where all only read.
    changed: Option<u64>,
    /// How many rows had to change, as the caller said.
    confirmed: Option<u64>,
}

impl From<&Queried> for QueryAnswer {
    fn from(queried: &Queried) -> Self {
        let answer = &queried.answer;
        let row = |cells: &Vec<Cell>| {
            answer.columns.iter().cloned().zip(cells.iter().map(value)).collect()
        };
        Self {
            columns: answer.columns.clone(),
            rows: answer.rows.iter().map(row).collect(),
            more: answer.is_cut,
            statements: queried.program.statements,
            changed: queried.program.is_writing.then_some(answer.changed),
            confirmed: queried.confirmed,
        }
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => Value::from(*number),
        // JSON has no infinity.
        Cell::Real(number) if number.is_infinite() => Value::from(cell.to_string()),
        Cell::Real(number) => Value::from(*number),
        Cell::Text(text) => Value::from(text.as_str()),
        Cell::Bytes(_) => Value::from(cell.to_string()),
    }
}
