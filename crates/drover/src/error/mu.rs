//! Errors about a database of mu in the user's words.

use drover_ops::MuError;
use drover_ops::error::MuImportError;
use drover_ops::words::quote;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &MuImportError) -> Spoken {
    match err {
        MuImportError::Source(source) => match source {
            MuError::Foreign { path, .. } => {
                Spoken::new("source_foreign", err).data(json!({ "path": path }))
            }
            MuError::Version { path, found } => Spoken::new("source_version", err)
                .data(json!({ "path": path, "found": found }))
                .next("see which version wrote it", "mu --version"),
            MuError::Damaged { path, .. } => Spoken::new("source_damaged", err)
                .data(json!({ "path": path }))
                .next("let mu look at it", "mu doctor"),
        },
        MuImportError::Copy(_) => Spoken::new("file_failed", err),
        MuImportError::UnknownWorkstream { there, .. } => {
            Spoken::new("workstream_unknown", err).data(json!({ "workstreams": there }))
        }
        MuImportError::Name { workstream, .. } => Spoken::new("invalid_name", err)
            .data(json!({ "workstream": workstream }))
            .next("give it another name", renamed(workstream)),
        MuImportError::SameName { name, workstreams } => {
            let spoken = Spoken::new("invalid_name", err)
                .data(json!({ "project": name, "workstreams": workstreams }));
            workstreams.iter().fold(spoken, |spoken, it| {
                spoken.next("give one of them another name", renamed(it))
            })
        }
        MuImportError::Taken { project, workstream, ids } => Spoken::new("task_exists", err)
            .data(json!({ "project": project, "workstream": workstream, "ids": ids }))
            .next("make it a project of another name", renamed(workstream)),
        MuImportError::Cycle { workstream, path } => {
            let spoken =
                Spoken::new("cycle", err).data(json!({ "workstream": workstream, "path": path }));
            match path.as_slice() {
                [first, second, ..] => spoken.next(
                    "take one of these edges away there",
                    format!("mu task unblock {second} --by {first} -w {}", quote(workstream)),
                ),
                _ => spoken,
            }
        }
        other => Spoken::new("failed", other),
    }
}

fn renamed(workstream: &str) -> String {
    format!("drover project import --mu <file> --rename {}=<name>", quote(workstream))
}
