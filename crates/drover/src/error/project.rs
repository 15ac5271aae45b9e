//! Errors about projects in the user's words.

use drover_ops::error::ProjectError;
use serde_json::json;

use crate::output::Spoken;
use crate::ways;
use crate::wire::AgentLosses;

pub(super) fn speak(err: &ProjectError) -> Spoken {
    match err {
        ProjectError::Unknown { name, nearest } => {
            let spoken = Spoken::new("project_unknown", err)
                .data(json!({ "project": name, "nearest": nearest }));
            spoken.next("see the projects", "drover project list")
        }
        ProjectError::Archived { name } => Spoken::new("project_archived", err)
            .data(json!({ "project": name }))
            .next("fetch it back", format!("drover project unarchive {name}")),
        ProjectError::Exists { name, archived } => {
            let spoken = Spoken::new("project_exists", err).data(json!({ "project": name }));
            match archived {
                Some(it) => spoken.next(
                    "fetch it back under another name",
                    format!("drover project unarchive {it} --as <name>"),
                ),
                None => spoken.next("see the project", format!("drover project show {name}")),
            }
        }
        ProjectError::HasAgents { name, agents } => {
            let spoken =
                Spoken::new("project_busy", err).data(json!({ "project": name, "agents": agents }));
            agents.iter().fold(spoken, |spoken, agent| {
                spoken.next("close it first", format!("drover agent close {name}/{agent}"))
            })
        }
        ProjectError::NotTornDown { name, is_there, nearest } => {
            let spoken = Spoken::new("project_not_torn_down", err)
                .data(json!({ "project": name, "nearest": nearest }));
            match is_there {
                true => spoken.next("see what would go", format!("drover project teardown {name}")),
                false => spoken.next("see what can be forgotten", "drover db forget"),
            }
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
            losses.iter().fold(spoken, |spoken, (agent, losses)| {
                spoken.nexts(ways::of_close(name, agent, losses))
            })
        }
        ProjectError::Busy { name, agents } => Spoken::new("project_busy", err)
            .data(json!({ "project": name, "agents": agents }))
            .next("try again", format!("drover project teardown {name} --yes")),
        other => Spoken::new("failed", other),
    }
}
