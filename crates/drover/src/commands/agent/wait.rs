//! `drover agent wait`.

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::waits::{self, AgentState, AgentWait, End, Need, WaitedAgent};
use drover_ops::{Ctx, OpError};

use crate::commands::waited::outcome;
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentsWaited, WaitedAgentView};

/// Wait until agents are idle, gone, or in need of a person.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent wait w1 --timeout 10m\n\nExit codes: 0 idle, 3 unknown, 5 the time was over, 6 one is gone, 7 one needs a person, 130 interrupted."
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
        let need = if self.any || self.first { Need::Any } else { Need::All };
        let request = AgentWait { names: self.names.clone(), need, timeout: self.timeout };
        let waited = waits::wait_for_agents(ctx, &request)?;
        let firing = waited.agents.iter().find(|it| it.state != AgentState::Waiting);
        let firing = firing.filter(|_| self.first).map(reference);
        let mut table = Table::new(&["agent", "", "state", "why"], 3);
        for agent in &waited.agents {
            let decided = &agent.observed.decided;
            table.row([
                reference(agent),
                agent.state.as_str().to_owned(),
                decided.state.to_string(),
                decided.reason.as_ref().unwrap_or(&decided.evidence).clone(),
            ]);
        }
        let first = firing.as_ref().map(|it| format!("{it}\n")).unwrap_or_default();
        let report = Report::new(
            outcome(waited.end),
            AgentsWaited {
                agents: waited.agents.iter().map(WaitedAgentView::new).collect(),
                timed_out: waited.end == End::TimedOut,
                firing,
            },
        );
        let report = report.card(format!("{first}{}", table.render_for_terminal()));
        Ok(waited.agents.iter().filter(|it| it.state != AgentState::Idle).fold(
            report,
            |report, it| {
                let name = reference(it);
                report.next(format!("see why {name} is so"), format!("drover agent explain {name}"))
            },
        ))
    }
}

fn reference(agent: &WaitedAgent) -> String {
    format!("{}/{}", agent.project.name, agent.observed.agent.name)
}
