//! `drover task show`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::rows::{End, Task};
use drover_ops::tasks::{self, Shown, TaskProof};
use drover_ops::{Ctx, OpError, usage, words};

use super::entry;
use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{Effect, Verb};
use crate::wire::{TaskProofView, TaskShown, strings, usage_in_words};

/// Show one task with its blockers, dependents, notes and evidence.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task show web/build_the_page --proof\n\nExit codes: 0, 3 unknown, 4 in several projects."
)]
pub(crate) struct Show {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What speaks for it on one screen: claim, brief, receipts, commits, evidence, landings.
    #[arg(long)]
    proof: bool,
}

impl Verb for Show {
    fn name(&self) -> &'static str {
        "task show"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        if self.proof {
            let proof = tasks::show_proof(ctx, &self.id)?;
            let data: TaskProofView = (&proof).into();
            return Ok(Report::new("shown", data).card(proof_card(ctx, &proof)));
        }
        let shown = tasks::show(ctx, &self.id)?;
        let usage = usage::of_task(ctx, &shown.task)?;
        let data = TaskShown::new(&shown, &usage);
        let mut card = card(ctx, &shown);
        if let Some(used) = usage_in_words(&usage) {
            let _ = writeln!(card, "Used by its holders: {used}");
        }
        Ok(next(Report::new("shown", data).card(card), &shown))
    }
}

fn next(report: Report, shown: &Shown) -> Report {
    let reference = format!("{}/{}", shown.project.name, shown.task.id);
    if shown.task.state.is_closed() {
        return report
            .next("see what speaks for it", format!("drover task show {reference} --proof"))
            .next("open it again", format!("drover task open {reference}"));
    }
    if shown.task.claimed_by.is_some() {
        return report.next("close it", format!("drover task close {reference}"));
    }
    if shown.task.is_ready() {
        report.next("take it", format!("drover task claim {reference}"))
    } else {
        report.next("see why it waits", format!("drover task why {reference}"))
    }
}

/// The head of every card about one task.
fn head(ctx: &Ctx, shown: &Shown) -> String {
    let task = &shown.task;
    let mut card = format!(
        "{}/{}  {}\n{}\nimpact {}, {} days, roi {:.1}, touched {} ago\n",
        shown.project.name,
        task.id,
        task.state.full(),
        one_line(&task.title),
        task.impact,
        task.effort_days,
        task.roi,
        words::age(&task.updated_at, ctx.now())
    );
    match (&task.claimed_by, &task.last_claimed_by) {
        (Some(holder), _) => {
            let _ = writeln!(card, "Held by {}", one_line(holder));
        }
        (None, Some(last)) => {
            let times = if task.attempt == 1 { "once" } else { "several times" };
            let _ = writeln!(card, "Held by nobody; lost {times}, by {} last", one_line(last));
        }
        (None, None) => {}
    }
    for (label, value) in [
        ("Owns", strings(&task.owns).join(", ")),
        ("Labels", strings(&task.labels).join(", ")),
        ("Verify", task.verify.clone().unwrap_or_default()),
        ("From", source(task)),
    ] {
        if !value.is_empty() {
            let _ = writeln!(card, "{label}: {}", one_line(&value));
        }
    }
    card
}

/// Where a task came from, with its id there.
fn source(task: &Task) -> String {
    task.source.iter().chain(&task.source_id).map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn card(ctx: &Ctx, shown: &Shown) -> String {
    let mut card = head(ctx, shown);
    let (satisfied, gating): (Vec<&End>, Vec<&End>) =
        shown.blockers.iter().partition(|it| it.is_satisfied());
    let (over, open): (Vec<&End>, Vec<&End>) =
        shown.dependents.iter().partition(|it| it.state.is_closed());
    for (label, ends) in
        [("Waits for", gating), ("Was blocked by", satisfied), ("Blocks", open), ("Blocked", over)]
    {
        if !ends.is_empty() {
            let named: Vec<String> =
                ends.iter().map(|it| format!("{} ({})", it.id, it.state)).collect();
            let _ = writeln!(card, "{label}: {}", named.join(", "));
        }
    }
    for note in &shown.notes {
        card.push_str(&entry::note(note));
    }
    for evidence in &shown.evidence {
        card.push_str(&entry::evidence(evidence));
    }
    card
}

fn proof_card(ctx: &Ctx, proof: &TaskProof) -> String {
    let shown = &proof.shown;
    let mut card = head(ctx, shown);
    card.push_str("\nClaim\n");
    match &proof.claim {
        Some(op) => {
            let _ =
                writeln!(card, "  by {} at {} (group {})", one_line(&op.actor), op.at, op.group);
        }
        None => card.push_str("  nobody has claimed it\n"),
    }
    card.push_str("\nBrief\n");
    let _ = writeln!(card, "  {}", one_line(&shown.task.title));
    for note in &shown.notes {
        card.push_str(&entry::note(note));
    }
    card.push_str("\nReceipts\n");
    for (agent, message) in &proof.receipts {
        let _ = writeln!(
            card,
            "  #{} to {agent}: {} from {} at {}",
            message.number,
            message.level,
            one_line(&message.sender),
            message.created_at
        );
    }
    if proof.receipts.is_empty() {
        card.push_str("  no message is about it\n");
    }
    let (landings, evidence): (Vec<_>, Vec<_>) =
        shown.evidence.iter().partition(|it| it.evidence.kind == "landed");
    for (label, none, part) in [
        ("Evidence", "nothing was said or checked", evidence),
        ("Landed", "no landing is known", landings),
    ] {
        let _ = writeln!(card, "\n{label}");
        if part.is_empty() {
            let _ = writeln!(card, "  {none}");
        }
        for it in part {
            card.push_str(&entry::evidence(it));
        }
    }
    card
}
