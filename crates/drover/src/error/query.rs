//! Errors about statements that a person writes in the user's words.

use drover_ops::error::{QueryError, SqlError};
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &QueryError) -> Spoken {
    match err {
        QueryError::OtherCount { confirmed, found } => {
            Spoken::new("rows_differ", err).data(json!({ "confirmed": confirmed, "found": found }))
        }
        QueryError::Sql(statement) => of_statement(statement),
        other => Spoken::new("failed", other),
    }
}

fn of_statement(err: &SqlError) -> Spoken {
    match err {
        SqlError::Invalid { at, .. } => Spoken::new("sql_invalid", err)
            .data(json!({ "at": at }))
            .next("see the tables", "drover sql \"SELECT name, sql FROM sqlite_schema\""),
        SqlError::Fenced { verb, .. } => {
            let spoken = Spoken::new("sql_refused", err).data(json!({ "verb": verb }));
            match verb {
                Some(verb) => spoken.next("use the verb that does it", format!("{verb} --help")),
                None => spoken,
            }
        }
        SqlError::Constraint { .. } => Spoken::new("sql_refused", err),
        SqlError::TimedOut => Spoken::new("timed_out", err),
        SqlError::TooLarge => Spoken::new("sql_too_large", err),
        other => Spoken::new("failed", other),
    }
}
