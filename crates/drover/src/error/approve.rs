//! Errors about dialogs in the user's words.

use drover_core::agent::dialog::Dialog;
use drover_ops::error::ApproveError;
use serde_json::{Value, json};

use crate::output::Spoken;
use crate::wire::DialogView;

pub(super) fn speak(err: &ApproveError) -> Spoken {
    match err {
        ApproveError::NoDialog { agent } => Spoken::new("no_dialog", err)
            .data(json!({ "agent": agent }))
            .next("see what it does", format!("drover agent explain {agent}")),
        ApproveError::Unbound { agent, dialog } => {
            let command = format!("drover agent approve {agent} --digest {}", short(dialog));
            let spoken = Spoken::new("dialog_stands", format!("{err}\n\n{}", dialog.text))
                .data(json!({ "agent": agent, "dialog": shown(dialog) }));
            let spoken = match dialog.label.as_str() {
                "question" => spoken,
                _ => spoken
                    .next("say yes to exactly this", command.clone())
                    .next("say no", format!("{command} --deny")),
            };
            spoken.next("give one of its answers", format!("{command} --choose <answer>"))
        }
        ApproveError::Changed { agent, now } => Spoken::new("dialog_changed", err)
            .data(json!({ "agent": agent, "dialog": now.as_deref().map(shown) }))
            .next("see what stands there now", format!("drover agent approve {agent}")),
        ApproveError::NotAnswerable { agent, label, .. } => {
            Spoken::new("dialog_not_answerable", err)
                .data(json!({ "agent": agent, "label": label }))
                .next("answer it in its pane", format!("drover agent attach {agent}"))
        }
        ApproveError::Choice { agent, choices, digest, .. } => Spoken::new("choice_unknown", err)
            .data(json!({ "agent": agent, "choices": choices, "digest": digest }))
            .next("see its answers", format!("drover agent approve {agent}"))
            .next("answer it in its pane", format!("drover agent attach {agent}")),
        ApproveError::Unmoved { agent, .. } => Spoken::new("answer_uncertain", err)
            .data(json!({ "agent": agent }))
            .next("read its screen", format!("drover agent read {agent}")),
    }
}

fn shown(dialog: &Dialog) -> Value {
    serde_json::to_value(DialogView::from(dialog)).unwrap_or_default()
}

/// As much of a digest as names a dialog.
fn short(dialog: &Dialog) -> &str {
    dialog.digest.get(..16).unwrap_or(&dialog.digest)
}
