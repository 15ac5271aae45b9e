//! `drover task claim`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::tasks::{self, Claimed};
use drover_ops::workspaces::OnStale;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{StalenessView, TaskClaimed, TaskView};

/// Take a task; what somebody else holds is refused.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task claim design_the_schema\n\nExit codes: 0 (again by its holder, too), 3 blocked, closed, parked or unknown, 4 held by another, or a stale workspace with --strict-staleness."
)]
pub(crate) struct Claim {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// The agent it is for; yourself when absent.
    #[arg(short, long = "for", value_name = "AGENT")]
    for_agent: Option<String>,
    /// Claim it although it is blocked, parked or in triage.
    #[arg(long)]
    force: bool,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
    /// Refuse, instead of warning, where the agent's workspace lacks ten commits or more.
    #[arg(long)]
    strict_staleness: bool,
}

impl Verb for Claim {
    fn name(&self) -> &'static str {
        "task claim"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let request = tasks::Claim {
            id: self.id.clone(),
            for_agent: self.for_agent.clone(),
            force: self.force,
            evidence: input.said("evidence", self.evidence.as_deref())?,
            on_stale: if self.strict_staleness { OnStale::Refuse } else { OnStale::Warn },
        };
        Ok(report(&tasks::claim(ctx, &request)?))
    }
}

/// The answer to a claim that stands.
pub(super) fn report(claimed: &Claimed) -> Report {
    let (project, task) = (&claimed.project.name, &claimed.task);
    let holder = task.claimed_by.as_deref().unwrap_or("nobody");
    let verb = if claimed.is_repeat { "Held already" } else { "Claimed" };
    let mut card = format!("{verb}: {} for {holder}\n{}\n", task.id, one_line(&task.title));
    if !claimed.passed_over.is_empty() {
        let _ = writeln!(card, "Passed over its blockers {}", claimed.passed_over.join(", "));
    }
    let data = TaskClaimed {
        task: TaskView::new(project, task),
        was: claimed.was.full(),
        repeated: claimed.is_repeat,
        passed_over: claimed.passed_over.clone(),
        staleness: claimed.staleness.as_ref().map(StalenessView::from),
    };
    let report = Report::new("claimed", data).card(card);
    let report = match claimed.staleness.as_ref().filter(|it| it.is_stale()) {
        Some(it) => report.next(
            "bring its workspace up first",
            format!("drover workspace refresh {project}/{}", it.agent),
        ),
        None => report,
    };
    report
        .next("read it whole", format!("drover task show {project}/{}", task.id))
        .next(
            "say it is done",
            format!("drover task close {project}/{} --evidence \"<what shows it>\"", task.id),
        )
        .next("give it back", format!("drover task release {project}/{}", task.id))
}
