//! Calls that a multiplexer, an agent or Drover itself makes, not a person: they have no help, no envelope and no flags.

use std::ffi::OsString;
use std::path::Path;

use drover_ops::agents::{self, Identity};
use drover_ops::{OpError, delegates, engines, hooks, messages};

/// Carries the call out if it is one of these.
pub(crate) fn run(words: &[OsString]) -> Option<u8> {
    let text: Vec<&str> = words.iter().map(|it| it.to_str().unwrap_or_default()).collect();
    match text.as_slice() {
        // It comes back only if it failed.
        [_, "agent-launch", uid, nonce] => Some(failed(agents::run_launcher(uid, nonce))),
        [_, "hook", "claude"] => {
            hooks::claude();
            Some(0)
        }
        [_, "pane-died", state, socket, pane] => {
            Some(exit(agents::pane_died(Path::new(state), socket, pane)))
        }
        [_, "pane-watch", state, socket, pane, pid, start] => {
            let program = Identity { pid: pid.parse().unwrap_or(0), start: (*start).to_owned() };
            Some(exit(agents::watch_pane(Path::new(state), socket, pane, &program)))
        }
        [_, "codex-server", uid, pid, start, up, _, ..] => {
            let terminal = Identity { pid: pid.parse().unwrap_or(0), start: (*start).to_owned() };
            let command = words.get(6..).unwrap_or_default();
            Some(exit(engines::serve_codex(uid, &terminal, Path::new(up), command)))
        }
        [_, "agent-idle", uid] => {
            // Whoever calls has nobody to tell: what could not be delivered stays in the outbox.
            let _ = messages::agent_idle(uid);
            Some(0)
        }
        [_, "delegate-run", uid] => Some(exit(delegates::supervise(uid))),
        _ => None,
    }
}

fn exit(result: Result<(), OpError>) -> u8 {
    result.map_or_else(failed, |()| 0)
}

fn failed(why: impl std::fmt::Display) -> u8 {
    anstream::eprintln!("drover: {why}");
    1
}
