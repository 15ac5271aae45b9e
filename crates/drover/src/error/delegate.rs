//! Errors about delegates in the user's words.

use drover_ops::error::DelegateError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &DelegateError) -> Spoken {
    match err {
        DelegateError::Unknown { name } => Spoken::new("delegate_unknown", err)
            .data(json!({ "delegate": name }))
            .next("see them all", "drover agent delegate --list"),
        DelegateError::Full { running, queued } => Spoken::new("delegates_full", err)
            .data(json!({ "running": running, "queued": queued }))
            .next("see them all", "drover agent delegate --list")
            .next("let more work at once", "drover project set delegates <number> -p scratch"),
        DelegateError::Unanswering { engine, why } => Spoken::new("usage", err)
            .data(json!({ "engine": engine, "why": why }))
            .next("take another", "drover agent delegate <text> --engine pi"),
        DelegateError::NotStarted { name, why } => {
            Spoken::new("not_started", err).data(json!({ "delegate": name, "why": why }))
        }
    }
}
