//! What is refused about plans.

use std::fmt;

/// One thing that is wrong in a plan, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, as `tasks[3].impact`.
    pub path: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.what)
    }
}

/// Why a plan was not imported; nothing of it was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It is not JSON of the plan's form.
    #[error("the plan cannot be read at line {line}, column {column}: {problem}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// It is no text in UTF-8.
    #[error("the plan is not UTF-8 from line {line}, byte {byte} of the file{guess}")]
    Encoding {
        /// The line, from 1.
        line: usize,
        /// How many bytes of the file stand before it.
        byte: usize,
        /// What it seems to be instead, with the words before it.
        guess: &'static str,
    },
    /// Nothing shows which form it has.
    #[error("nothing in the file shows its form")]
    UnknownFormat,
    /// Fields say what no task can say.
    #[error("{}", several(problems))]
    Wrong {
        /// Every such field.
        problems: Vec<Problem>,
    },
    /// Tasks would wait for each other.
    #[error("the plan has a cycle: {}", path.join(" blocks "))]
    Cycle {
        /// The cycle, each blocking the next, ending where it begins.
        path: Vec<String>,
    },
    /// Tasks that came from elsewhere have these ids.
    #[error("tasks of the project {project} that are not from a plan have the ids {}", ids.join(", "))]
    Taken {
        /// The ids.
        ids: Vec<String>,
        /// The project.
        project: String,
    },
}

fn several(problems: &[Problem]) -> String {
    match problems {
        [only] => format!("{only} in the plan"),
        [first, ..] => format!("{} things are wrong in the plan, first {first}", problems.len()),
        [] => "the plan is wrong".to_owned(),
    }
}
