//! Errors about projects in the user's words.

use drover_ops::error::ProjectError;
use serde_json::json;

use crate::output::Spoken;
use crate::wire::AgentLosses;

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
        ProjectError::WouldLose { name, losses } => {
            let spoken = Spoken::new("work_would_be_lost", err)
                .data(json!({ "project": name, "losses": AgentLosses::all(losses) }));
            losses.iter().fold(spoken, |spoken, (agent, _)| {
                spoken
                    .next("land it", format!("drover workspace land {agent} -p {name}"))
                    .next(
                        "keep its branch",
                        format!("drover agent close {name}/{agent} --keep-branch"),
                    )
                    .next(
                        "let it go, kept as a rescue",
                        format!("drover agent close {name}/{agent} --discard --yes"),
                    )
            })
        }
        ProjectError::Busy { name, agents } => Spoken::new("project_busy", err)
            .data(json!({ "project": name, "agents": agents }))
            .next("try again", format!("drover project teardown {name} --yes")),
        other => Spoken::new("failed", other),
    }
}
