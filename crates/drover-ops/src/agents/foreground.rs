//! What is in the foreground of an agent's terminal, and whether its own shell waits for a command there.

use std::cell::OnceCell;

use drover_core::agent::Foreground;
use drover_host::mux::Pane;
use drover_host::proc::{self, Snapshot};
use drover_host::tty::{self, Keys};
use drover_store::agents::Agent;

use super::look::identity;
use crate::engines;

/// Shells that edit the line at their prompt themselves, whatever the terminal.
///
/// tcsh leaves it to a terminal that it finds too simple, so its mode says nothing of it.
const EDITORS: &[&str] = &["bash", "fish", "zsh"];

/// What is in the foreground of an agent that is a shell, or takes work by running commands.
pub(crate) fn of(
    agent: &Agent,
    pane: Option<&Pane>,
    processes: &OnceCell<Snapshot>,
) -> Option<Foreground> {
    let profile = &agent.profile;
    let runs = profile.takes_work == "run" || engines::is_shell(&profile.engine, &profile.command);
    if !runs || !agent.lifecycle.is_running() {
        return None;
    }
    if let Some(work) = &agent.work
        && proc::is_alive(&identity(work))
    {
        return Some(Foreground::Other { program: "me work".to_owned() });
    }
    let process = identity(&agent.binding.as_ref()?.pane);
    let unknown = || Foreground::Unknown { reason: "its terminal cannot be asked".to_owned() };
    let (front, own) = (proc::foreground_group(process.pid), proc::process_group(process.pid));
    let shell = pane.map_or(Foreground::OwnShell, |it| prompt(&profile.command, it));
    // Asked last: from here back, the number was that very process's.
    if !proc::is_alive(&process) {
        return Some(Foreground::Unknown { reason: "its process is gone".to_owned() });
    }
    let (Some(front), Some(own)) = (front, own) else { return Some(unknown()) };
    if front != own {
        let program = proc::name(front).map(|program| Foreground::Other { program });
        return Some(program.unwrap_or_else(unknown));
    }
    // A shell that still reads its start-up files runs them in its own group.
    let processes = processes.get_or_init(Snapshot::take);
    let below = processes.descendants(&process);
    let company = below.into_iter().find(|it| proc::process_group(it.identity.pid) == Some(own));
    Some(company.map_or(shell, |other| Foreground::Other { program: other.name }))
}

/// Whether the shell in front of a pane waits for a command, by how its terminal hands on keys.
///
/// `command` is what the pane was made with, a JSON array of words.
pub(crate) fn prompt(command: &str, pane: &Pane) -> Foreground {
    if !edits_lines(command, pane.pid) {
        return Foreground::OwnShell;
    }
    match tty::keys(&pane.tty) {
        // A terminal that cannot be asked must not hold the rest up.
        Ok(Keys::Plain) | Err(_) => Foreground::OwnShell,
        Ok(Keys::Shown) => Foreground::OwnShellAsks,
        Ok(Keys::Lines) => Foreground::OwnShellBusy,
    }
}

fn edits_lines(command: &str, pid: u32) -> bool {
    let words: Vec<String> = serde_json::from_str(command).unwrap_or_default();
    let is_told_not_to = words.iter().any(|it| it == "--noediting");
    !is_told_not_to && proc::name(pid).is_some_and(|it| EDITORS.contains(&it.as_str()))
}
