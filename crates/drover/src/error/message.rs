//! Errors about messages in the user's words.

use drover_core::message::Obstacle;
use drover_ops::error::MessageError;
use serde_json::json;

use crate::output::Spoken;
use crate::wire::MessageView;

pub(super) fn speak(err: &MessageError) -> Spoken {
    match err {
        MessageError::Stopped { .. } => stopped(err),
        MessageError::ShellRuns { agent } => Spoken::new("shell_runs", err)
            .data(json!({ "agent": agent }))
            .next("have it run the text", format!("drover agent send {agent} --run …")),
        MessageError::NoShell { agent, engine } => {
            Spoken::new("usage", err).data(json!({ "agent": agent, "engine": engine }))
        }
        MessageError::ModeUnprovable { agent, mode, why } => Spoken::new("mode_unprovable", err)
            .data(json!({ "agent": agent, "mode": mode.as_str(), "why": why }))
            .next("send it at the end of the turn", format!("drover agent send {agent} …")),
        MessageError::TextRefused { agent, why } => Spoken::new("text_refused", err)
            .data(json!({ "agent": agent, "why": why }))
            .next("type it into its pane", format!("drover agent send {agent} --via mux …")),
        MessageError::ChannelMissing { agent, engine } => Spoken::new("channel_missing", err)
            .data(json!({ "agent": agent, "engine": engine }))
            .next("type it all the same", format!("drover agent send {agent} --via mux …")),
        MessageError::TooLong { bytes, most } => {
            Spoken::new("text_too_long", err).data(json!({ "bytes": bytes, "most": most }))
        }
        MessageError::Unknown { agent, project, number } => Spoken::new("message_unknown", err)
            .data(json!({ "agent": agent, "project": project, "number": number }))
            .next("see them all", format!("drover agent queue {project}/{agent} --all")),
        MessageError::Left { agent, project, number, level } => Spoken::new("message_left", err)
            .data(json!({ "agent": agent, "number": number, "level": level.as_str() }))
            .next("see them all", format!("drover agent queue {project}/{agent} --all")),
        other => Spoken::new("failed", other),
    }
}

fn stopped(err: &MessageError) -> Spoken {
    let MessageError::Stopped { agent, project, message, obstacle, detail, left_copy_mode } = err
    else {
        return Spoken::new("failed", err);
    };
    let word = match obstacle {
        Obstacle::CutOff => "uncertain",
        other => other.as_str(),
    };
    let name = format!("{project}/{agent}");
    let spoken = Spoken::new(word, err).data(json!({
        "message": MessageView::new(project, agent, message),
        "reason": obstacle.as_str(),
        "detail": detail,
        "left_copy_mode": left_copy_mode,
    }));
    match obstacle {
        Obstacle::StillQueued => spoken
            .next("see what waits", format!("drover agent queue {name}"))
            .next(
                "take it back",
                format!("drover agent queue {name} --withdraw {}", message.number),
            )
            .next("wait until it is idle", format!("drover agent wait {name}")),
        Obstacle::AgentDead => spoken.next("see how it ended", format!("drover agent show {name}")),
        Obstacle::ChannelSilent => spoken
            .next("see who was asked", format!("drover agent explain {name}"))
            .next("type it all the same", format!("drover agent send {name} --via mux …")),
        Obstacle::TakenForCommand => spoken
            .next(
                "begin a new conversation with a text",
                format!("drover agent send {name} --fresh …"),
            )
            .next("type it as a person would", format!("drover agent send {name} --via mux …")),
        Obstacle::LineTooLong
        | Obstacle::CopyMode
        | Obstacle::CutOff
        | Obstacle::Declined
        | Obstacle::DialogStands
        | Obstacle::DraftStands
        | Obstacle::NotTaken
        | Obstacle::PasteLost
        | Obstacle::Unproven
        | Obstacle::Unsubmitted => {
            spoken.next("read its screen", format!("drover agent read {name}"))
        }
    }
}
