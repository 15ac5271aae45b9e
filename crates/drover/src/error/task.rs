//! Errors about tasks in the user's words.

use drover_core::task::close::CloseError;
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
        TaskError::AlreadyOwned { id, project, holder } => Spoken::new("task_already_owned", err)
            .data(json!({ "task": id, "holder": holder }))
            .next("take another", format!("drover task next --claim -p {project}"))
            .next("tell its holder", format!("drover task note {project}/{id} \"<text>\"")),
        TaskError::Closed { id, project, state } => Spoken::new("task_closed", err)
            .data(json!({ "task": id, "state": state }))
            .next("open it again", format!("drover task open {project}/{id}")),
        TaskError::NotStartable { id, project, state } => Spoken::new("task_not_startable", err)
            .data(json!({ "task": id, "state": state }))
            .next("see why", format!("drover task why {project}/{id}"))
            .next("claim it all the same", format!("drover task claim {project}/{id} --force")),
        TaskError::Blocked { id, project, blockers } => Spoken::new("task_blocked", err)
            .data(json!({ "task": id, "blockers": blockers }))
            .next("see why", format!("drover task why {project}/{id}"))
            .next("claim it all the same", format!("drover task claim {project}/{id} --force")),
        TaskError::Cycle { project, blocked, path, .. } => Spoken::new("cycle", err)
            .data(json!({ "path": path }))
            .next("see what it blocks", format!("drover task tree {project}/{blocked} --down")),
        TaskError::CrossProject { blocker_project, blocked_project, .. } => {
            Spoken::new("cross_project_edge", err).data(
                json!({ "blocker_project": blocker_project, "blocked_project": blocked_project }),
            )
        }
        TaskError::InProgress { id, project, holder } => Spoken::new("task_in_progress", err)
            .data(json!({ "task": id, "holder": holder }))
            .next("take it back first", format!("drover task release {project}/{id}")),
        TaskError::NotClosable { id, project, command, reason } => {
            let spoken = Spoken::new(not_closable_word(*reason), err)
                .data(json!({ "task": id, "verify": command }));
            not_closable_next(spoken, &format!("drover task close {project}/{id}"), *reason)
        }
        TaskError::NeverClaimed { id, project } => Spoken::new("task_not_claimed", err)
            .data(json!({ "task": id }))
            .next("read all of them", format!("drover task notes {project}/{id}")),
        other => verify(other),
    }
}

/// About verify commands.
fn verify(err: &TaskError) -> Spoken {
    match err {
        TaskError::VerifyFailed { id, project, command, log, .. } => {
            Spoken::new("verify_failed", err)
                .data(json!({ "task": id, "verify": command, "log": log }))
                .next("read its output", format!("less {}", drover_ops::words::quote(log)))
                .next("see all evidence", format!("drover task show {project}/{id} --proof"))
        }
        TaskError::VerifyNotTrusted { id, project, command } => Spoken::new("not_trusted", err)
            .data(json!({ "task": id, "verify": command }))
            .next("see what wants to run", format!("drover project trust -p {project}")),
        TaskError::NothingToVerify { id, project } => Spoken::new("nothing_to_verify", err)
            .data(json!({ "task": id }))
            .next(
                "give it a command",
                format!("drover task update {project}/{id} --verify \"<command>\""),
            )
            .next(
                "give the project one",
                format!("drover project set verify \"<command>\" -p {project}"),
            ),
        TaskError::VerifyDirty { id, project, path, changed } => {
            let path = drover_ops::words::quote(&path.to_string_lossy());
            Spoken::new("workspace_dirty", err)
                .data(json!({ "task": id, "project": project, "changed": changed }))
                .next("commit it", format!("git -C {path} commit --all"))
        }
        TaskError::FileStands { path } => Spoken::new("file_exists", err)
            .data(json!({ "path": path }))
            .next("draw it elsewhere", "drover task plan --svg <file>"),
        other => Spoken::new("failed", other),
    }
}

fn not_closable_word(reason: CloseError) -> &'static str {
    match reason {
        CloseError::VerifyRequired => "verify_required",
        CloseError::WhyMissing(_) | CloseError::WaiverWithoutWhy | CloseError::NothingToWaive => {
            "usage"
        }
    }
}

fn not_closable_next(spoken: Spoken, close: &str, reason: CloseError) -> Spoken {
    let waive = format!("{close} --unverified --why \"<why>\"");
    match reason {
        CloseError::VerifyRequired => {
            spoken.next("run it", format!("{close} --verify")).next("pass over it", waive)
        }
        CloseError::WhyMissing(closing) => {
            spoken.next("say why", format!("{close} --as {closing} --why \"<why>\""))
        }
        CloseError::WaiverWithoutWhy => spoken.next("say why", waive),
        CloseError::NothingToWaive => spoken.next("close it", close),
    }
}
