//! An agent as a short text.

use std::fmt::Write as _;

use drover_ops::agents::Observed;
use drover_ops::words;

use crate::output::visible;
use crate::wire::strings;

/// Its name, what it is doing, what it runs and where.
pub(super) fn card(project: &str, observed: &Observed) -> String {
    let agent = &observed.agent;
    let mut card = format!("{project}/{}: {}\n", agent.name, doing(observed));
    let _ =
        writeln!(card, "{} ({}), {}", agent.profile.engine, agent.profile.role, agent.lifecycle);
    let _ = writeln!(card, "Runs: {}", visible(&line(&agent.profile.command)));
    if let Some(work) = &agent.profile.work {
        let _ = writeln!(card, "Works with: {}", visible(&line(work)));
    }
    let _ = writeln!(card, "In: {}", visible(&agent.profile.cwd));
    if let Some(binding) = &agent.binding {
        let adopted = if agent.is_adopted { ", adopted" } else { "" };
        let _ = writeln!(
            card,
            "Pane {} of {}, process {}{adopted}",
            binding.pane_id,
            visible(&binding.mux_socket),
            binding.pane.pid
        );
    }
    if let Some(failure) = &agent.failure {
        let _ = writeln!(card, "Failed: {}", visible(failure));
    }
    card
}

/// What an agent is doing, why we say so, and how it ended.
pub(crate) fn doing(observed: &Observed) -> String {
    let (agent, decided) = (&observed.agent, &observed.decided);
    let ending = match (agent.exit_status, agent.exit_signal) {
        (_, Some(signal)) => format!(" by signal {signal}"),
        (Some(status), None) => format!(" with exit code {status}"),
        (None, None) => String::new(),
    };
    let why = decided.reason.as_ref().unwrap_or(&decided.evidence);
    let long = if observed.is_left_idle { " for long" } else { "" };
    format!("{}{long}{ending} ({})", decided.state, visible(why))
}

/// A stored list of words as a line for a shell.
pub(super) fn line(stored: &str) -> String {
    words::join(strings(stored).iter().map(String::as_str))
}
