//! Errors about projects in the user's words.

use drover_ops::error::ProjectError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &ProjectError) -> Spoken {
    match err {
        ProjectError::Unknown { name, nearest } => {
            let spoken = Spoken::new("project_unknown", err)
                .data(json!({ "project": name, "nearest": nearest }));
            spoken.next("see the projects", "drover project list")
        }
        ProjectError::None => Spoken::new("project_unclear", err)
            .next("make one", "drover project init <name> --repo ."),
        ProjectError::Unclear { candidates } => Spoken::new("project_unclear", err)
            .data(json!({ "candidates": candidates }))
            .next("name it", "drover -p <project> …"),
        ProjectError::OtherRepository { name, recorded, asked } => {
            Spoken::new("other_repository", err)
                .data(json!({ "project": name, "recorded": recorded, "asked": asked }))
                .next("see the project", format!("drover project show {name}"))
        }
        other => Spoken::new("failed", other),
    }
}
