//! Errors about the settings of chat agents in the user's words.

use drover_ops::error::{LinkError, TargetError};
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &LinkError) -> Spoken {
    let (outcome, path) = match err {
        LinkError::Edited { path, .. } => ("file_edited", path),
        LinkError::Target(TargetError::Link { path, .. }) => ("file_is_link", path),
        LinkError::Target(TargetError::Moved { path }) => ("file_moved", path),
        LinkError::Unreadable { path, .. }
        | LinkError::Target(
            TargetError::NoFile { path }
            | TargetError::Foreign { path, .. }
            | TargetError::ReadOnly { path }
            | TargetError::TooLong { path },
        ) => ("file_unusable", path),
        LinkError::Target(TargetError::Io { path, .. }) => ("file_failed", path),
    };
    let spoken = Spoken::new(outcome, err).data(json!({ "path": path.display().to_string() }));
    match outcome {
        "file_edited" | "file_is_link" => {
            spoken.next("see how each client stands; --force takes it over", "drover link --list")
        }
        _ => spoken.next("see how each client stands", "drover link --list"),
    }
}
