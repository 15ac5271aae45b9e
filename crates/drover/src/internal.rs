//! Calls that a multiplexer makes, not a person: they have no help, no envelope and no flags.

use std::ffi::OsString;
use std::path::Path;

use drover_ops::agents;

/// Carries the call out if it is one of these.
pub(crate) fn run(words: &[OsString]) -> Option<u8> {
    let text: Vec<&str> = words.iter().map(|it| it.to_str().unwrap_or_default()).collect();
    match text.as_slice() {
        [_, "agent-launch", uid, nonce] => {
            let failure = agents::run_launcher(uid, nonce);
            anstream::eprintln!("drover: {failure}");
            Some(1)
        }
        [_, "pane-died", state, socket, pane] => {
            match agents::pane_died(Path::new(state), socket, pane) {
                Ok(()) => Some(0),
                Err(err) => {
                    anstream::eprintln!("drover: {err}");
                    Some(1)
                }
            }
        }
        _ => None,
    }
}
