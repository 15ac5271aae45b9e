//! Errors about agents in the user's words.

use drover_ops::error::AgentError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &AgentError) -> Spoken {
    match err {
        AgentError::Unknown { name, project, nearest } => {
            let spoken = Spoken::new("agent_unknown", err)
                .data(json!({ "agent": name, "project": project, "nearest": nearest }));
            spoken.next("see the agents", format!("drover agent list -p {project}"))
        }
        AgentError::Exists { name, project, lifecycle } => Spoken::new("agent_exists", err)
            .data(json!({ "agent": name, "project": project, "lifecycle": lifecycle }))
            .next("see it", format!("drover agent show {project}/{name}"))
            .next(
                "take the next free name",
                format!("drover agent spawn {project}/{name} --next-free"),
            )
            .next("free the name", format!("drover agent close {project}/{name}")),
        AgentError::NoProgram { program, source_of_command } => Spoken::new("engine_missing", err)
            .data(json!({ "program": program, "source": source_of_command }))
            .next("name another", "drover agent spawn <name> --engine shell"),
        AgentError::Directory { path, .. } => {
            Spoken::new("directory_unusable", err).data(json!({ "path": path }))
        }
        AgentError::PaneUnknown { .. }
        | AgentError::PaneAmbiguous { .. }
        | AgentError::PaneTaken { .. }
        | AgentError::PaneDead { .. }
        | AgentError::NamelessPane { .. }
        | AgentError::Adopted { .. } => adoption(err),
        AgentError::NoRepository { project } => Spoken::new("no_repository", err)
            .data(json!({ "project": project }))
            .next("start it where you are", "drover agent spawn <name> --no-workspace"),
        AgentError::NotStarted { name, why } => {
            Spoken::new("not_started", err).data(json!({ "agent": name, "why": why }))
        }
        AgentError::NotRunning { name, why } => {
            Spoken::new("not_running", err).data(json!({ "agent": name, "why": why }))
        }
        AgentError::NothingToKick { name, project } => Spoken::new("nothing_to_kick", err)
            .data(json!({ "agent": name }))
            .next("start it anew", format!("drover agent restart {project}/{name}"))
            .next("end it", format!("drover agent close {project}/{name}")),
        AgentError::NotStopped { .. }
        | AgentError::StillBusy { .. }
        | AgentError::StillRunning { .. }
        | AgentError::CannotResume { .. }
        | AgentError::NoConversation { .. }
        | AgentError::ConversationInUse { .. } => turns_and_conversations(err),
        AgentError::NoPane { name, why } => {
            Spoken::new("no_pane", err).data(json!({ "agent": name, "why": why }))
        }
        AgentError::ServerSilent { name, why } => {
            Spoken::new("mux_silent", err).data(json!({ "agent": name, "why": why }))
        }
        other => Spoken::new("failed", other),
    }
}

/// What is refused about a pane that was to be adopted, or about an agent that was.
fn adoption(err: &AgentError) -> Spoken {
    let listed = |panes: &[(String, String)]| -> Vec<serde_json::Value> {
        panes.iter().map(|it| json!({ "pane": it.0, "title": it.1 })).collect()
    };
    match err {
        AgentError::PaneUnknown { what, panes } => Spoken::new("pane_unknown", err)
            .data(json!({ "pane": what, "panes": listed(panes) }))
            .next("see the panes that could be meant", "drover agent list"),
        AgentError::PaneAmbiguous { what, project, panes } => {
            let spoken = Spoken::new("pane_ambiguous", err)
                .data(json!({ "pane": what, "panes": listed(panes) }));
            panes.iter().take(5).fold(spoken, |spoken, (pane, _)| {
                spoken
                    .next(format!("mean {pane}"), format!("drover agent adopt {pane} -p {project}"))
            })
        }
        AgentError::PaneTaken { pane, holder, agent } => {
            let spoken = Spoken::new("pane_taken", err)
                .data(json!({ "pane": pane, "holder": holder, "agent": agent }));
            match agent {
                Some(agent) => spoken.next("see it", format!("drover agent show {agent}")),
                None => spoken,
            }
        }
        AgentError::PaneDead { pane } => Spoken::new("no_pane", err).data(json!({ "pane": pane })),
        AgentError::NamelessPane { pane, title, free } => Spoken::new("invalid_name", err)
            .data(json!({ "pane": pane, "title": title }))
            .next("give it a name", format!("drover agent adopt {pane} --name {free}")),
        AgentError::Adopted { name, project } => Spoken::new("agent_adopted", err)
            .data(json!({ "agent": name, "project": project }))
            .next("let it go, as it is", format!("drover agent close {project}/{name}"))
            .next("see it", format!("drover agent attach {project}/{name}")),
        other => Spoken::new("failed", other),
    }
}

/// What is refused about a running turn, or about going on with a conversation.
fn turns_and_conversations(err: &AgentError) -> Spoken {
    match err {
        AgentError::NotStopped { name, project, why } => Spoken::new("not_stopped", err)
            .data(json!({ "agent": name, "why": why }))
            .next("signal what it has in front", format!("drover agent kick {project}/{name}"))
            .next("stop it by hand", format!("drover agent attach {project}/{name}")),
        AgentError::StillBusy { name, project, state } => Spoken::new("still_busy", err)
            .data(json!({ "agent": name, "state": state }))
            .next("wait until it is idle", format!("drover agent wait {project}/{name}"))
            .next("signal what it has in front", format!("drover agent kick {project}/{name}")),
        AgentError::StillRunning { name, project, place } => Spoken::new("still_running", err)
            .data(json!({ "agent": name, "place": place }))
            .next("see it", format!("drover agent show {project}/{name}"))
            .next("show its pane", format!("drover agent attach {project}/{name}")),
        AgentError::CannotResume { name, project, engine, .. } => Spoken::new("cannot_resume", err)
            .data(json!({ "agent": name, "engine": engine }))
            .next("start it anew", format!("drover agent restart {project}/{name}")),
        AgentError::NoConversation { name, project, earlier } => {
            Spoken::new("conversation_unknown", err)
                .data(json!({ "agent": name, "earlier": earlier }))
                .next("start it anew", format!("drover agent restart {project}/{name}"))
        }
        AgentError::ConversationInUse { name, conversation, other } => {
            Spoken::new("conversation_in_use", err)
                .data(json!({ "agent": name, "conversation": conversation, "other": other }))
                .next("show the pane it is in", format!("drover agent attach {other}"))
        }
        other => Spoken::new("failed", other),
    }
}
