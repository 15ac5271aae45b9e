//! Errors of programs in the user's words.

use drover_ops::ProcessError;

use crate::output::Spoken;

pub(super) fn speak(err: &ProcessError) -> Spoken {
    let word = match err {
        ProcessError::NotFound { .. } => "program_missing",
        ProcessError::Timeout { .. } => "program_timeout",
        ProcessError::Interrupted { .. } => "interrupted",
        _ => "program_failed",
    };
    Spoken::new(word, err)
}
