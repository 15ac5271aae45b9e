//! Errors of the database in the user's words.

use drover_ops::StoreError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &StoreError) -> Spoken {
    match err {
        StoreError::Foreign { path, backup, .. } | StoreError::Corrupt { path, backup, .. } => {
            let word = if matches!(err, StoreError::Foreign { .. }) {
                "database_foreign"
            } else {
                "database_damaged"
            };
            let spoken = Spoken::new(word, err).data(json!({ "path": path, "backup": backup }));
            match backup {
                Some(backup) => spoken.next(
                    "go back to the last backup, keeping the file",
                    format!("mv {0} {0}.bad && cp {1} {0}", quoted(path), quoted(backup)),
                ),
                None => spoken
                    .next("start anew, keeping the file", format!("mv {0} {0}.bad", quoted(path))),
            }
        }
        StoreError::Newer { path, found, known } => Spoken::new("database_newer", err)
            .data(json!({ "path": path, "found": found, "known": known }))
            .next("copy it with this version", "drover db backup <file>"),
        StoreError::Moved { was, now } => {
            Spoken::new("database_moved", err).data(json!({ "was": was, "now": now }))
        }
        StoreError::Busy { seconds } => {
            Spoken::new("database_busy", err).data(json!({ "seconds": seconds }))
        }
        StoreError::Full { path } => Spoken::new("disk_full", err).data(json!({ "path": path })),
        StoreError::ReadOnly { path, .. }
        | StoreError::File { path, .. }
        | StoreError::Io { path, .. } => {
            Spoken::new("state_unusable", err).data(json!({ "path": path }))
        }
        StoreError::InUse { path } => Spoken::new("file_in_use", err).data(json!({ "path": path })),
        StoreError::Exists { path } => {
            Spoken::new("file_exists", err).data(json!({ "path": path }))
        }
        StoreError::NotWriting
        | StoreError::BadValue { .. }
        | StoreError::Dangling(_)
        | StoreError::Sqlite(_) => {
            Spoken::new("failed", err).next("check the database", "drover doctor")
        }
        other => Spoken::new("failed", other),
    }
}

fn quoted(path: &std::path::Path) -> String {
    drover_ops::words::quote(&path.to_string_lossy())
}
