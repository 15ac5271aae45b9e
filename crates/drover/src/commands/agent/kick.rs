//! `drover agent kick`.

use clap::{Args, ValueEnum};
use drover_ops::agents::{self, StopSignal};
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentKicked, AgentView, ProcessView};

/// Signal what an agent has in front on its terminal; its own program is never signalled.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent kick w1 --signal term\n\nExit codes: 0, 3 unknown, not running or nothing in front, 5 its multiplexer does not answer."
)]
pub(crate) struct Kick {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Which signal.
    #[arg(long, value_enum, default_value_t, ignore_case = true)]
    signal: Signal,
}

/// A signal, from the gentlest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Signal {
    /// As Ctrl-C.
    #[default]
    #[value(alias = "sigint")]
    Int,
    /// Asks to end.
    #[value(alias = "sigterm")]
    Term,
    /// Ends.
    #[value(alias = "sigkill")]
    Kill,
}

impl Verb for Kick {
    fn name(&self) -> &'static str {
        "agent kick"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Cannot)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let signal = match self.signal {
            Signal::Int => StopSignal::Interrupt,
            Signal::Term => StopSignal::Terminate,
            Signal::Kill => StopSignal::Kill,
        };
        let kicked = agents::kick(ctx, &agents::Kick { name: self.name.clone(), signal })?;
        let project = &kicked.project.name;
        let observed = agents::observe_one(ctx, kicked.agent);
        let name = observed.agent.name.clone();
        let card = match &kicked.group {
            Some((pid, program)) => {
                format!("Signalled {} in {project}/{name}, process group {pid}", visible(program))
            }
            None => format!("{project}/{name}"),
        };
        let data = AgentKicked {
            agent: AgentView::new(project, &observed),
            group: kicked.group.map(|(pid, name)| ProcessView { pid, name }),
        };
        Ok(Report::new("kicked", data)
            .card(card)
            .next("see what it does now", format!("drover agent read {project}/{name} -n 20"))
            .next("start it anew", format!("drover agent restart {project}/{name}")))
    }
}
