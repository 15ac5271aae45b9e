//! Errors of the multiplexer in the user's words.

use drover_ops::MuxError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &MuxError) -> Spoken {
    match err {
        MuxError::NotInstalled { program } => Spoken::new("mux_missing", err)
            .data(json!({ "program": program }))
            .next("install it, on Debian", format!("sudo apt-get install {program}")),
        MuxError::TooOld { program, needed, found } => Spoken::new("mux_too_old", err)
            .data(json!({ "program": program, "needed": needed.to_string(), "found": found })),
        MuxError::Unknown { name } => Spoken::new("usage", err).data(json!({ "mux": name })),
        MuxError::NoServer { socket } => {
            Spoken::new("mux_missing", err).data(json!({ "socket": socket }))
        }
        MuxError::NoAnswer { socket, reason } => {
            Spoken::new("mux_silent", err).data(json!({ "socket": socket, "reason": reason }))
        }
        MuxError::NoPane { pane } | MuxError::DeadPane { pane } => {
            Spoken::new("no_pane", err).data(json!({ "pane": pane.to_string() }))
        }
        MuxError::NoDirectory { path } => {
            Spoken::new("directory_unusable", err).data(json!({ "path": path }))
        }
        MuxError::NoTarget { .. }
        | MuxError::SessionExists { .. }
        | MuxError::Invalid { .. }
        | MuxError::Id(_)
        | MuxError::Unreadable { .. } => Spoken::new("mux_failed", err),
        MuxError::Process(err) => super::process::speak(err),
    }
}
