//! `drover agent explain`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, agents};

use super::card::doing;
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{AgentExplained, AgentView, ReadingView};

/// Show every source asked about an agent, what it said, and which rule decided.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drover agent explain w1\n\nExit codes: 0, 3 unknown.")]
pub(crate) struct Explain {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
}

impl Verb for Explain {
    fn name(&self) -> &'static str {
        "agent explain"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let (project, observed) = agents::show(ctx, &self.name)?;
        let decided = &observed.decided;
        let now = ctx.now();
        let seconds = |since| now.duration_since(since).as_secs().max(0);
        let name = &observed.agent.name;
        let mut card = format!("{}/{name}: {}\n", project.name, doing(&observed));
        let _ = writeln!(
            card,
            "Decided by the rule {}, from the source {}{}\n",
            decided.rule,
            decided.source,
            decided.since.map(|it| format!(", for {}", age(seconds(it)))).unwrap_or_default()
        );
        let mut table = Table::new(&["source", "says", "for", "evidence", "reason"], 3);
        for reading in &decided.asked {
            table.row([
                reading.source.to_string(),
                reading.state.to_string(),
                reading.since.map(|it| age(seconds(it))).unwrap_or_default(),
                reading.evidence.clone(),
                reading.reason.clone().unwrap_or_default(),
            ]);
        }
        card.push_str(&table.render_for_terminal());
        let data = AgentExplained {
            agent: AgentView::new(&project.name, &observed),
            rule: decided.rule.to_string(),
            asked: decided
                .asked
                .iter()
                .map(|it| ReadingView::new(it, it.since.map(seconds)))
                .collect(),
        };
        Ok(Report::new("explained", data).card(card).next(
            "look at it yourself",
            format!("drover agent read {}/{name} -n 40", project.name),
        ))
    }
}

/// How long something has been so, in words.
fn age(seconds: i64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
