//! `drover undo`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::undo::{self, Listed, Mode, TakenBack};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{GroupView, Items, UndoAnswer};

/// Take back what one action did: without a group list them, with one show what that would do, with --yes do it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover undo\n\nAn undo is a group itself; undoing it does the action again. Rows of this machine (agents, workspaces, messages) have verbs of their own, which are listed.\n\nExit codes: 0 (also for a preview, and when it was taken back already), 3 no such group or nothing that undo takes back, 4 changed since, or several groups begin so."
)]
pub(crate) struct Undo {
    /// The change group: its id or a unique beginning of it.
    group: Option<String>,
    /// Do it; without this only show what would be done.
    #[arg(long, requires = "group")]
    yes: bool,
    /// How many groups to list.
    #[arg(short = 'n', long, default_value_t = 10, conflicts_with = "group", value_parser = clap::value_parser!(u16).range(1..))]
    count: u16,
}

/// How many changes a card shows.
const SHOWN: usize = 30;

impl Verb for Undo {
    fn name(&self) -> &'static str {
        "undo"
    }

    fn effect(&self) -> Effect {
        if self.group.is_some() { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let Some(group) = &self.group else {
            return Ok(listed(&undo::list(ctx, usize::from(self.count))?));
        };
        let mode = if self.yes { Mode::Apply } else { Mode::Preview };
        let taken = undo::undo(ctx, group, mode)?;
        Ok(report(&taken))
    }
}

fn listed(groups: &[Listed]) -> Report {
    let mut table = Table::new(&["group", "when", "who", "what", "changes", "undone"], 3);
    for it in groups {
        table.row([
            short(&it.group.id),
            it.group.at.clone(),
            it.group.actor.clone(),
            it.group.intents.join(", "),
            it.group.ops.to_string(),
            it.undone_by.as_deref().map(|by| format!("by {}", short(by))).unwrap_or_default(),
        ]);
    }
    let items = groups.iter().map(GroupView::from).collect();
    let report = Report::new("listed", Items::new(items));
    match groups.first() {
        Some(first) => report
            .card(table.render_for_terminal())
            .next("see what an undo would do", format!("drover undo {}", short(&first.group.id))),
        None => report.card("Nothing has been changed yet."),
    }
}

fn report(taken: &TakenBack) -> Report {
    let group = short(&taken.group.id);
    let what = format!("{group} ({}, {})", taken.group.intents.join(", "), taken.group.actor);
    if let Some(by) = &taken.undone_by {
        let by = short(by);
        return Report::new("already_undone", UndoAnswer::from(taken))
            .card(format!("{what} was taken back already, by {by}"))
            .next("do the action again", format!("drover undo {by} --yes"));
    }
    let (outcome, mut card) = match &taken.undo_group {
        Some(undo) => ("undone", format!("Took back {what} as {}\n", short(undo))),
        None => ("preview", format!("Taking back {what} would do this:\n")),
    };
    for it in taken.changes.iter().take(SHOWN) {
        let _ = writeln!(card, "  {}", visible(&it.words));
    }
    let more = taken.changes.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(card, "  … and {more} more changes");
    }
    for conflict in &taken.conflicts {
        let _ = writeln!(card, "In the way: {}", visible(&conflict.to_string()));
    }
    for (it, run) in &taken.local {
        let subject = format!("{} {}", it.op.entity.replace('_', " "), it.subject);
        let way = run.as_deref().map_or_else(|| "nothing to do".to_owned(), str::to_owned);
        let _ = writeln!(card, "Left alone: {}; {way}", visible(&subject));
    }
    let report = Report::new(outcome, UndoAnswer::from(taken)).card(card);
    match &taken.undo_group {
        Some(undo) => {
            report.next("do the action again", format!("drover undo {} --yes", short(undo)))
        }
        None if taken.conflicts.is_empty() => {
            report.next("do it", format!("drover undo {group} --yes"))
        }
        None => report.next("see what changed since", "drover log"),
    }
}

/// As much of a group's id as people need.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}
