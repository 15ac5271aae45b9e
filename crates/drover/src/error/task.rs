//! Errors about tasks in the user's words.

use drover_ops::error::TaskError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &TaskError) -> Spoken {
    match err {
        TaskError::Unknown { id, project, nearest } => Spoken::new("task_unknown", err)
            .data(json!({ "task": id, "project": project, "nearest": nearest }))
            .next("see the tasks", format!("drover task list -p {project}")),
        TaskError::Elsewhere { id, project, elsewhere } => {
            let spoken = Spoken::new("task_elsewhere", err)
                .data(json!({ "task": id, "project": project, "elsewhere": elsewhere }));
            elsewhere.iter().fold(spoken, |spoken, it| {
                spoken.next("meant that one", format!("drover task show {it}/{id}"))
            })
        }
        TaskError::Ambiguous { id, projects } => {
            let spoken = Spoken::new("task_ambiguous", err)
                .data(json!({ "task": id, "projects": projects }));
            projects.iter().fold(spoken, |spoken, it| {
                spoken.next("name it whole", format!("drover task show {it}/{id}"))
            })
        }
        TaskError::Exists { id, project } => Spoken::new("task_exists", err)
            .data(json!({ "task": id, "project": project }))
            .next("see it", format!("drover task show {project}/{id}")),
        TaskError::AlreadyOwned { id, holder } => Spoken::new("task_already_owned", err)
            .data(json!({ "task": id, "holder": holder }))
            .next("take another", "drover task next --claim"),
        TaskError::Closed { id, state } => Spoken::new("task_closed", err)
            .data(json!({ "task": id, "state": state }))
            .next("open it again", format!("drover task open {id}")),
        TaskError::NotStartable { id, state } => Spoken::new("task_not_startable", err)
            .data(json!({ "task": id, "state": state }))
            .next("claim it all the same", format!("drover task claim {id} --force")),
        TaskError::Blocked { id, blockers } => Spoken::new("task_blocked", err)
            .data(json!({ "task": id, "blockers": blockers }))
            .next("see why", format!("drover task why {id}"))
            .next("claim it all the same", format!("drover task claim {id} --force")),
        TaskError::Cycle { path, .. } => Spoken::new("cycle", err).data(json!({ "path": path })),
        TaskError::CrossProject { blocker_project, blocked_project, .. } => {
            Spoken::new("cross_project_edge", err).data(
                json!({ "blocker_project": blocker_project, "blocked_project": blocked_project }),
            )
        }
        other => Spoken::new("failed", other),
    }
}
