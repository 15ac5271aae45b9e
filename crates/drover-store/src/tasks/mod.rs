//! Tasks: their rows, what is ready, and who holds what.

mod read;
mod write;

use drover_core::task::State;
use rusqlite::Row;

use crate::error::StoreError;

pub use read::*;
pub use write::*;

/// A task.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The row's key in this database.
    pub pk: i64,
    /// The identity that never changes.
    pub uid: String,
    /// The project it belongs to.
    pub project_pk: i64,
    /// The short id people use: the handle.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Status and substate.
    pub state: State,
    /// 1 to 100.
    pub impact: i64,
    /// Days of work, above 0.
    pub effort_days: f64,
    /// Owned repository paths, as a JSON array.
    pub owns: String,
    /// Labels, as a JSON array.
    pub labels: String,
    /// The command that proves it done.
    pub verify: Option<String>,
    /// Whose choice that command was: `plan` or `caller`.
    pub verify_chosen_by: Option<String>,
    /// Who holds it, as `<name>@<machine>` or `user:<name>@<machine>`.
    pub claimed_by: Option<String>,
    /// The holding agent's uid; none for people.
    pub claimed_uid: Option<String>,
    /// Who lost it last.
    pub last_claimed_by: Option<String>,
    /// How often it was lost.
    pub attempt: i64,
    /// Where it was imported from.
    pub source: Option<String>,
    /// Its id there.
    pub source_id: Option<String>,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it, its notes or its blockers changed last, RFC 3339.
    pub updated_at: String,
    /// Blockers that are not CLOSED/done.
    pub open_blockers: i64,
    /// Impact over effort.
    pub roi: f64,
}

impl Task {
    /// Whether it can be started: OPEN/todo and nothing blocks it.
    pub fn is_ready(&self) -> bool {
        self.state == State::Todo && self.open_blockers == 0
    }
}

const TASK: &str = "t.pk, t.uid, t.project_pk, d.handle, t.title, t.status, t.substate, t.impact, t.effort_days, t.owns,
    t.labels, t.verify, t.verify_chosen_by, t.claimed_by, t.claimed_uid, t.last_claimed_by, t.attempt, t.source,
    t.source_id, t.created_at, d.updated_at, d.open_blockers, d.roi";

/// The state in two columns, the first at `at`.
pub(crate) fn state_at(row: &Row<'_>, at: usize) -> rusqlite::Result<State> {
    let (status, substate) = (row.get_ref(at)?.as_str()?, row.get_ref(at + 1)?.as_str()?);
    State::from_pair(status, substate).map_err(|_| {
        let bad = StoreError::BadValue {
            table: "tasks",
            column: "substate",
            value: format!("{status}/{substate}"),
        };
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(bad))
    })
}

fn task_of(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        pk: row.get(0)?,
        uid: row.get(1)?,
        project_pk: row.get(2)?,
        id: row.get(3)?,
        title: row.get(4)?,
        state: state_at(row, 5)?,
        impact: row.get(7)?,
        effort_days: row.get(8)?,
        owns: row.get(9)?,
        labels: row.get(10)?,
        verify: row.get(11)?,
        verify_chosen_by: row.get(12)?,
        claimed_by: row.get(13)?,
        claimed_uid: row.get(14)?,
        last_claimed_by: row.get(15)?,
        attempt: row.get(16)?,
        source: row.get(17)?,
        source_id: row.get(18)?,
        created_at: row.get(19)?,
        updated_at: row.get(20)?,
        open_blockers: row.get(21)?,
        roi: row.get(22)?,
    })
}
