//! `drover since`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::log::{self, Meanwhile};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, one_line, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::MeanwhileView;

/// Say what happened since a time, by project and kind.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover since 8h\n\n`last` is your own last `drover since`, which every call moves (not with --dry-run). Without -p it tells of every project.\n\nExit codes: 0, 2 the time cannot be read."
)]
pub(crate) struct Since {
    /// `last`, a position in the log, a time, or a span like 8h.
    #[arg(default_value = "last", value_name = "last|SEQ|TIME|SPAN")]
    from: String,
}

/// How many changes of a kind a card shows, the latest.
const SHOWN: usize = 5;

impl Verb for Since {
    fn name(&self) -> &'static str {
        "since"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let from = match self.from.as_str() {
            "last" => None,
            text => Some(log::Since::parse(text, ctx.now())?),
        };
        let meanwhile = log::since(ctx, from)?;
        Ok(Report::new("told", MeanwhileView::from(&meanwhile)).card(card(&meanwhile)).next(
            "see every change",
            match meanwhile.from {
                log::Since::Seq(seq) => format!("drover log --all -n 0 --since {seq}"),
                log::Since::Time(time) => format!("drover log --all -n 0 --since {time:.3}"),
            },
        ))
    }
}

fn card(meanwhile: &Meanwhile) -> String {
    let mut card = String::new();
    if meanwhile.is_first {
        card.push_str("This is your first look, so it is everything.\n");
    }
    if meanwhile.happenings.is_empty() && meanwhile.undelivered.is_empty() {
        card.push_str("Nothing happened.\n");
    }
    let mut project = None;
    for it in &meanwhile.happenings {
        if project != Some(&it.project) {
            project = Some(&it.project);
            let _ = writeln!(card, "{}", it.project.as_deref().unwrap_or("(no project)"));
        }
        let _ = writeln!(card, "  {} {}", it.count, it.kind.as_str());
        if it.count > SHOWN {
            let _ = writeln!(card, "    … {} before", it.count - SHOWN);
        }
        for item in it.items.iter().skip(it.items.len().saturating_sub(SHOWN)) {
            let _ = writeln!(card, "    {} ({})", one_line(&item.words), item.op.actor);
        }
    }
    for it in &meanwhile.undelivered {
        let reason = it.reason.as_deref().map(|it| format!(", {it}")).unwrap_or_default();
        let _ = writeln!(
            card,
            "Not delivered: message {} to {}/{} ({}{})",
            it.number,
            it.project,
            it.agent,
            it.level,
            visible(&reason)
        );
    }
    card
}
