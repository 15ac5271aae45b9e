//! `drover agent wait`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::waits::{self, AgentState, AgentWait, AgentWaited, End, Need, WaitedAgent};
use drover_ops::{Ctx, OpError};

use crate::commands::waited::outcome;
use crate::input::Input;
use crate::output::{Report, Table, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentsWaited, WaitedAgentView};

/// Wait until turns of agents have ended, or agents are gone or in need of a person.
///
/// One that is idle already ends its wait at once: the turn that was meant may be over. After a send
/// whose receipt names a turn, --after-runs waits for exactly that turn, over or not.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent wait w1 --timeout 10m\n\nExit codes: 0 idle, or the turn has ended, 2 --after-runs where nothing counts turns, 3 unknown, 5 the time was over, 6 one is gone, 7 one needs a person, 130 interrupted."
)]
pub(crate) struct Wait {
    /// The agents: `<name>` or `<project>/<name>`.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Until one of them is.
    #[arg(long)]
    any: bool,
    /// Until one of them is, and name it on a line of its own.
    #[arg(long, conflicts_with = "any")]
    first: bool,
    /// Until more than so many of its turns have ended, at once if they have.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(0..))]
    after_runs: Option<i64>,
    /// How long to wait.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = Limit::parse)]
    timeout: Limit,
}

impl Verb for Wait {
    fn name(&self) -> &'static str {
        "agent wait"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = AgentWait {
            names: self.names.clone(),
            need: if self.any || self.first { Need::Any } else { Need::All },
            after_runs: self.after_runs,
            timeout: self.timeout,
        };
        let waited = waits::wait_for_agents(ctx, &request)?;
        for agent in waited.agents.iter().filter(|it| it.state == AgentState::Error) {
            ctx.warn(format!("the last turn of {} ended by an error", reference(agent)));
        }
        let firing = waited.agents.iter().find(|it| it.state.is_over());
        let firing = firing.filter(|_| self.first).map(reference);
        let report = Report::new(
            word(&waited),
            AgentsWaited {
                agents: waited.agents.iter().map(WaitedAgentView::new).collect(),
                timed_out: waited.end == End::TimedOut,
                firing: firing.clone(),
            },
        );
        let report = report.card(card(firing.as_deref(), &waited.agents));
        Ok(waited.agents.iter().filter_map(next).fold(report, |report, it| report.next(it.0, it.1)))
    }
}

/// The word of the whole wait: one that saw no turn says so.
fn word(waited: &AgentWaited) -> &'static str {
    let is_idle = |it: &WaitedAgent| matches!(it.state, AgentState::Idle | AgentState::Pending);
    if waited.end == End::Reached && waited.agents.iter().all(is_idle) {
        return "already_idle";
    }
    outcome(waited.end)
}

/// The agent that ended the wait, where each stands, and what each said last.
fn card(firing: Option<&str>, agents: &[WaitedAgent]) -> String {
    let mut text = firing.map(|it| format!("{it}\n")).unwrap_or_default();
    let mut table = Table::new(&["agent", "", "state", "why"], 3);
    for agent in agents {
        let decided = &agent.observed.decided;
        table.row([
            reference(agent),
            agent.state.as_str().to_owned(),
            decided.state.to_string(),
            decided.reason.as_ref().unwrap_or(&decided.evidence).clone(),
        ]);
    }
    text.push_str(&table.render_for_terminal());
    for agent in agents.iter().filter(|it| it.state.is_over()) {
        let Some(turn) = &agent.observed.turn else { continue };
        let is_answer = matches!(agent.state, AgentState::Done | AgentState::Error);
        for (what, said) in [("said", &turn.last_text), ("failed", &turn.last_error)] {
            if let Some(said) = said.as_deref().filter(|it| !it.is_empty()) {
                let name = reference(agent);
                let when = if is_answer { "in" } else { "before, in" };
                let _ = writeln!(text, "\n{name} {what} {when} turn {}:", turn.number);
                let _ = writeln!(text, "{}", visible(said).trim_end());
            }
        }
    }
    text
}

/// What helps on with an agent that gave no answer.
fn next(agent: &WaitedAgent) -> Option<(String, String)> {
    let name = reference(agent);
    match agent.state {
        AgentState::Done | AgentState::Idle => None,
        AgentState::NeedsPerson if agent.observed.dialog.is_some() => Some((
            format!("see what {name} asks and answer it"),
            format!("drover agent approve {name}"),
        )),
        AgentState::Empty | AgentState::Error | AgentState::NeedsPerson => {
            Some((format!("read what {name} shows"), format!("drover agent read {name}")))
        }
        AgentState::Died | AgentState::Pending | AgentState::TimedOut | AgentState::Unknown => {
            Some((format!("see why {name} is so"), format!("drover agent explain {name}")))
        }
    }
}

fn reference(agent: &WaitedAgent) -> String {
    format!("{}/{}", agent.project.name, agent.observed.agent.name)
}
