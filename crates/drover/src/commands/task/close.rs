//! `drover task close`.

use std::fmt::Write as _;

use clap::Args;
use clap::builder::PossibleValuesParser;
use drover_core::task::State;
use drover_core::task::close::Closing;
use drover_ops::call::Healing;
use drover_ops::tasks::{self, Closed, Dependents};
use drover_ops::{Ctx, OpError, words};
use serde_json::json;

use crate::input::{Input, parts};
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::TaskClosed;

/// Close a task; only one closed as done lets its dependents start.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task close design_the_schema --evidence \"make test passes\"\n\nExit codes: 0 (a bare repeat changes nothing), 2 a reason is missing, 3 unknown, its verify command must pass first or did not, or the tree is not clean, 4 held by another, 7 the command is not trusted."
)]
pub(crate) struct Close {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// How; every way but done needs a reason.
    #[arg(long = "as", value_name = "WAY", value_parser = PossibleValuesParser::new(Closing::WORDS))]
    closing: Option<String>,
    /// Why, kept as a note; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// What you say about it, kept as said; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
    /// Run its verify command, else the policy's, or the one given here, and close only if it passes.
    #[arg(
        long,
        value_name = "COMMAND",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "unverified"
    )]
    verify: Option<String>,
    /// Close it as done although its verify command did not pass; needs --why.
    #[arg(long)]
    unverified: bool,
    /// Let those that wait for it start without it.
    #[arg(long, conflicts_with = "by")]
    release_dependents: bool,
    /// Let those that wait for it wait for this task instead; stands in for --why.
    #[arg(long, value_name = "ID")]
    by: Option<String>,
    /// Only when each of its blockers is done; else leave it as it is and say what it waits for.
    #[arg(long)]
    if_ready: bool,
}

impl Verb for Close {
    fn name(&self) -> &'static str {
        "task close"
    }

    fn effect(&self) -> Effect {
        match self.verify {
            Some(_) => Effect::Changes(Healing::Cannot),
            None => CHANGES_ROWS,
        }
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let closing = self.closing.as_deref().map(Closing::parse).transpose();
        let dependents = match (&self.by, self.release_dependents) {
            (Some(by), _) => Dependents::MoveTo(parts("--by", std::slice::from_ref(by))?.concat()),
            (None, true) => Dependents::Release,
            (None, false) => Dependents::Wait,
        };
        let mut request = tasks::Close {
            id: self.id.clone(),
            closing: closing.map_err(|err| OpError::Usage(err.to_string()))?,
            why: input.said("reason", self.why.as_deref())?,
            evidence: input.said("evidence", self.evidence.as_deref())?,
            verified: None,
            unverified: self.unverified,
            dependents,
            if_ready: self.if_ready,
        };
        if let Some(given) = self.verify.as_deref() {
            if let Some(gated) = tasks::gated(ctx, &request)? {
                return Ok(skipped(&gated));
            }
            request.verified =
                tasks::verified(ctx, &self.id, Some(given).filter(|it| !it.is_empty()))?;
            if request.verified.is_none() {
                return Ok(preview(&self.id));
            }
        }
        let closed = tasks::close(ctx, &request)?;
        if !closed.blockers.is_empty() {
            return Ok(skipped(&closed));
        }
        if !closed.changed && (request.evidence.is_some() || request.why.is_some()) {
            ctx.warn(
                "it was closed so already, so what you say was not kept; drover task note keeps it",
            );
        }
        Ok(report(&closed, &ctx.holder()))
    }
}

/// What a dry run can say: whether the command passes, only running it tells.
fn preview(id: &str) -> Report {
    Report::new("preview", json!({ "task": { "id": id, "verified": null } }))
        .card("Whether the verify command passes is not known before it runs.")
}

/// It was to be closed only when it is ready, and it is not.
fn skipped(closed: &Closed) -> Report {
    let (project, id) = (&closed.project.name, &closed.task.id);
    let ids: Vec<&str> = closed.blockers.iter().map(|it| it.id.as_str()).collect();
    let card = format!("{id} stays {}: it waits for {}", closed.task.state.full(), ids.join(", "));
    let mut report = Report::new("skipped", TaskClosed::from(closed)).card(card);
    let proposed = closed.blockers.iter().find(|it| it.state == State::Triage);
    if let Some(blocker) = proposed {
        let run = format!("drover task admit {project}/{}", blocker.id);
        report = report.next("let its blocker in", run);
    }
    let all: Vec<String> = ids.iter().map(|it| format!("{project}/{it}")).collect();
    report
        .next("wait for what it waits for", format!("drover task wait {}", all.join(" ")))
        .next("see the whole chain", format!("drover task why {project}/{id}"))
}

fn report(closed: &Closed, caller: &str) -> Report {
    let (project, task) = (&closed.project.name, &closed.task);
    let reference = format!("{project}/{}", task.id);
    let mut card = if closed.changed {
        format!("Closed {} ({} → {})\n", task.id, closed.was, task.state.full())
    } else {
        format!("{} stays {}\n", task.id, task.state.full())
    };
    if let Some(holder) = task.claimed_by.as_deref().filter(|it| *it != caller) {
        let _ = writeln!(card, "It was held by {}", one_line(holder));
    }
    // What the others wait for instead may have waited itself, and waits for nothing in its place.
    let instead = closed.moved_to.as_deref().unwrap_or_default();
    let (let_go, moved): (Vec<String>, Vec<String>) =
        closed.released.iter().cloned().partition(|it| instead.is_empty() || it == instead);
    let now_waiting = format!("Now waiting for {instead}");
    for (label, ids) in [
        ("Let go", &let_go),
        (now_waiting.as_str(), &moved),
        ("Can start now", &closed.unblocked),
        ("Left blocked, because only done lets them start", &closed.left_blocked),
    ] {
        if !ids.is_empty() {
            let _ = writeln!(card, "{label}: {}", ids.join(", "));
        }
    }
    let touched = closed.changed || !closed.released.is_empty();
    let data: TaskClosed = closed.into();
    let mut report = Report::new(if touched { "closed" } else { "unchanged" }, data).card(card);
    if let Some(first) = closed.left_blocked.first() {
        report = report
            .next("let them start", format!("drover task close {reference} --release-dependents"))
            .next(
                "hang one elsewhere",
                format!("drover task reparent {project}/{first} --blocked-by <ids>"),
            )
            .next(
                "close one too",
                format!(
                    "drover task close {project}/{first} --as {} --why \"<why>\"",
                    task.state.substate()
                ),
            );
    }
    if let Some(workspace) = &closed.uncommitted {
        let path = words::quote(&workspace.path);
        let message = words::quote(&format!("{}: {}", task.id, one_line(&task.title)));
        let run = match workspace.kind.as_str() {
            "jj" => format!("jj -R {path} commit -m {message}"),
            _ => format!("git -C {path} add --all && git -C {path} commit -m {message}"),
        };
        report = report.next("commit what stands in your workspace", run);
    }
    report
        .next("take what can start", format!("drover task next --claim -p {project}"))
        .next("open it again", format!("drover task open {reference}"))
}
