//! `drover task release`, `open`, `park`, `unpark` and `admit`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::tasks::{self, Move, Moved};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::TaskMoved;

/// Give a task back: nobody holds it, and what was in progress is open again.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task release design_the_schema --evidence \"blocked on credentials\"\n\nExit codes: 0 (also when nobody held it), 3 unknown, 4 held by another."
)]
pub(crate) struct Release {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// Open it even when it is closed, parked or in triage.
    #[arg(long)]
    reopen: bool,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
}

/// Open a task again; who holds it does not change.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task open build_the_page --evidence \"the fix did not hold\"\n\nExit codes: 0 (also when it is open), 3 unknown, 4 held by another."
)]
pub(crate) struct Open {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
}

/// Set an open task aside.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task park build_the_page --why \"after the release\"\n\nExit codes: 0 (also when it is parked), 3 unknown, closed or in progress, 4 held by another."
)]
pub(crate) struct Park {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// Why, kept as a note; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    why: String,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
}

/// Take a parked task up again.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task unpark build_the_page\n\nExit codes: 0 (also when it is not parked), 3 unknown, 4 held by another."
)]
pub(crate) struct Unpark {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
}

/// Let a proposed task in, so that it can start.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task admit build_the_page\n\nExit codes: 0 (also when it is in already), 3 unknown, 4 held by another."
)]
pub(crate) struct Admit {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
}

/// Makes one move and says what came of it.
fn make(
    ctx: &mut Ctx,
    input: &Input,
    (id, step): (&str, Move),
    (why, evidence): (Option<&str>, Option<&str>),
    outcome: &str,
) -> Result<Report, OpError> {
    let request = tasks::MoveTask {
        id: id.to_owned(),
        step,
        why: input.said("reason", why)?,
        evidence: input.said("evidence", evidence)?,
    };
    let moved = tasks::move_task(ctx, &request)?;
    if !moved.changed && (request.evidence.is_some() || request.why.is_some()) {
        ctx.warn("nothing changed, so what you say was not kept; drover task note keeps it");
    }
    Ok(report(&moved, outcome))
}

fn report(moved: &Moved, outcome: &str) -> Report {
    let (project, task) = (&moved.project.name, &moved.task);
    let reference = format!("{project}/{}", task.id);
    let data: TaskMoved = moved.into();
    let mut card = String::new();
    if moved.changed {
        let mut word = outcome.to_owned();
        if let Some(first) = word.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let _ = writeln!(card, "{word} {} ({} → {})", task.id, moved.was, task.state);
    } else {
        let _ = writeln!(card, "{} stays {}", task.id, task.state);
    }
    let holders = (moved.was_held_by.as_deref(), task.claimed_by.as_deref());
    match holders {
        (Some(before), None) => {
            let _ = writeln!(card, "It was held by {}", one_line(before));
        }
        (_, Some(now)) => {
            let _ = writeln!(card, "It is held by {}", one_line(now));
        }
        (None, None) => {}
    }
    if !moved.blocked_again.is_empty() {
        let _ = writeln!(card, "Waiting for it again: {}", moved.blocked_again.join(", "));
    }
    let report = Report::new(if moved.changed { outcome } else { "unchanged" }, data).card(card);
    let report = match &task.claimed_by {
        Some(_) if !task.state.is_closed() => {
            report.next("let it go", format!("drover task release {reference}"))
        }
        _ => report,
    };
    if task.is_ready() {
        report.next("take it", format!("drover task claim {reference}"))
    } else {
        report.next("read it whole", format!("drover task show {reference}"))
    }
}

impl Verb for Release {
    fn name(&self) -> &'static str {
        "task release"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let step = if self.reopen { Move::ReleaseAndReopen } else { Move::Release };
        make(ctx, input, (&self.id, step), (None, self.evidence.as_deref()), "released")
    }
}

impl Verb for Open {
    fn name(&self) -> &'static str {
        "task open"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        make(ctx, input, (&self.id, Move::Open), (None, self.evidence.as_deref()), "opened")
    }
}

impl Verb for Park {
    fn name(&self) -> &'static str {
        "task park"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let words = (Some(self.why.as_str()), self.evidence.as_deref());
        make(ctx, input, (&self.id, Move::Park), words, "parked")
    }
}

impl Verb for Unpark {
    fn name(&self) -> &'static str {
        "task unpark"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        make(ctx, input, (&self.id, Move::Unpark), (None, self.evidence.as_deref()), "unparked")
    }
}

impl Verb for Admit {
    fn name(&self) -> &'static str {
        "task admit"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        make(ctx, input, (&self.id, Move::Admit), (None, self.evidence.as_deref()), "admitted")
    }
}
