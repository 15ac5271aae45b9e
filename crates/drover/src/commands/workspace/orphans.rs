//! `drover workspace orphans`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, workspaces};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{Items, OrphanView};

/// List directories, rows and branches that have lost each other, each with its command; nothing is removed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drover workspace orphans\n\nExit codes: 0.")]
pub(crate) struct Orphans {}

impl Verb for Orphans {
    fn name(&self) -> &'static str {
        "workspace orphans"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let found = workspaces::orphans(ctx)?;
        let mut card = String::new();
        for it in &found {
            let (kind, name, what) = (it.kind.word(), visible(&it.name), visible(&it.what));
            let _ = writeln!(card, "{kind} {name}: {what}");
        }
        let views = found.iter().map(OrphanView::from).collect();
        let report = Report::new("listed", Items::new(views));
        if found.is_empty() {
            return Ok(report.card("Nothing is left over."));
        }
        let next = |report: Report, it: &workspaces::Orphan| {
            report.next(format!("deal with the {}", it.kind.word()), it.command.clone())
        };
        Ok(found.iter().fold(report.card(card), next))
    }
}
