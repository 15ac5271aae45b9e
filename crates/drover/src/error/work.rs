//! Errors about dispatch, runs and the caller's own work in the user's words.

use drover_ops::error::{DispatchError, MeError, RunError};
use serde_json::json;

use crate::output::Spoken;

pub(super) fn dispatch(err: &DispatchError) -> Spoken {
    match err {
        DispatchError::Running { project } => Spoken::new("dispatch_running", err)
            .data(json!({ "project": project }))
            .next("see what it does", format!("drover state -p {project}")),
        DispatchError::TakesNoWork { agent, takes_work } => Spoken::new("agent_takes_no_work", err)
            .data(json!({ "agent": agent, "takes_work": takes_work })),
        DispatchError::Taken { task } => {
            Spoken::new("task_already_owned", err).data(json!({ "task": task }))
        }
        DispatchError::NotTold { task, agent, .. } => {
            Spoken::new("not_told", err).data(json!({ "task": task, "agent": agent }))
        }
        DispatchError::NotIdle { agent } => {
            Spoken::new("agent_busy", err).data(json!({ "agent": agent }))
        }
    }
}

pub(super) fn me(err: &MeError) -> Spoken {
    match err {
        MeError::NotAnAgent { who, .. } => Spoken::new("not_an_agent", err)
            .data(json!({ "who": who }))
            .next("start an agent", "drover agent spawn <name>"),
        MeError::NoWork { agent } => {
            Spoken::new("no_work_command", err).data(json!({ "agent": agent })).next(
                "start one that has",
                "drover agent spawn <name> --engine shell --work \"<command>\"",
            )
        }
        MeError::AtWork { agent, pid } => {
            Spoken::new("at_work", err).data(json!({ "agent": agent, "pid": pid }))
        }
    }
}

pub(super) fn run(err: &RunError) -> Spoken {
    match err {
        RunError::NoRepository { project } => Spoken::new("no_repository", err)
            .data(json!({ "project": project }))
            .next("name one", "drover run <plan> --repo <path> --command <command>"),
        RunError::NotTrusted { project, commands, workers } => Spoken::new("not_trusted", err)
            .data(json!({ "project": project, "commands": commands }))
            .next("see them and trust them", format!("drover project trust -p {project}"))
            .next("trust them and go on", format!("drover run -p {project} {workers} --trust")),
        RunError::NoWorkers { project } => {
            Spoken::new("usage", err).data(json!({ "project": project })).next(
                "say what each runs for a task",
                format!("drover run -p {project} --command <command>"),
            )
        }
        RunError::Differs { agent, known, asked } => Spoken::new("agent_differs", err)
            .data(json!({ "agent": agent, "known": known, "asked": asked }))
            .next("close it first", format!("drover agent close {agent}")),
    }
}
