//! `drover run`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::call::Healing;
use drover_ops::dispatch::{End, Pass};
use drover_ops::run::{self, Audience, Ran, Run as Request, Trunk, WorkersAre};
use drover_ops::tasks::Plan;
use drover_ops::trust::Untrusted;
use drover_ops::{Ctx, OpError, words};

use super::dispatch;
use crate::input::Input;
use crate::output::{Report, ask, progress, visible};
use crate::verb::{Effect, Verb};
use crate::wire::RunEnded;

/// Work a plan off in one call: project, workers, dispatch, verification, landing.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover run plan.json --repo . --command \"sh worker.sh\" --workers 3 --trust\n\nExit codes: 0 all is closed and landed, 5 the time is over, 6 no worker lives, 7 only people can move it on or trust is missing, 130 interrupted (the workers go on; the same call continues)."
)]
pub(crate) struct Run {
    /// The plan as JSON; `-` reads standard input. Without one the project goes on with its tasks.
    #[arg(value_hint = clap::ValueHint::FilePath)]
    plan: Option<String>,
    /// The repository to work in; the recorded one when absent.
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// How many workers.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    workers: u32,
    /// The engine of the workers; a shell where only --command is given.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// What each worker runs for each task, split into words once, run without a shell. Needed only once: a
    /// later call finds the workers.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Let the plan's verify commands run without asking.
    #[arg(long)]
    trust: bool,
    /// When to give up, as `90s`, `10m`, `2h`, or `never`.
    #[arg(long, default_value = "never", value_name = "TIME")]
    timeout: String,
    /// Leave the workers running at the end.
    #[arg(long)]
    keep_agents: bool,
}

impl Verb for Run {
    fn name(&self) -> &'static str {
        "run"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn file(&self) -> Option<&Path> {
        self.plan.as_deref().filter(|it| *it != "-").map(Path::new)
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        if ctx.is_dry_run() {
            return Err(OpError::Usage(
                "run works until the plan is done, so it has no dry run".to_owned(),
            ));
        }
        let request = Request {
            project: self.project(ctx)?,
            plan: self.plan(input)?,
            repository: self.repo.clone(),
            workers: self.workers,
            workers_are: WorkersAre {
                engine: self.engine.clone(),
                work: self.command.as_deref().map(words::split).transpose()?,
            },
            until: Limit::parse(&self.timeout)?.deadline(ctx.now()),
            keeps_agents: self.keep_agents,
        };
        let mut terminal = Terminal { is_trusting: self.trust, can_ask: input.can_ask() };
        let ran = run::run(ctx, &request, &mut terminal)?;
        Ok(report(&ran, RunEnded::from(&ran), Some(self)))
    }
}

impl Run {
    /// `-p`, else the stem of the plan's file.
    fn project(&self, ctx: &Ctx) -> Result<String, OpError> {
        if let Some(name) = ctx.project_flag() {
            return Ok(name.to_owned());
        }
        let stem = self
            .plan
            .as_deref()
            .filter(|it| *it != "-")
            .map(Path::new)
            .and_then(|it| it.file_stem());
        let stem = stem.and_then(|it| it.to_str()).map(str::to_ascii_lowercase);
        stem.ok_or_else(|| {
            OpError::Usage("name the project with -p, since no plan file names it".to_owned())
        })
    }

    fn plan(&self, input: &Input) -> Result<Option<Plan>, OpError> {
        let text = match self.plan.as_deref() {
            None => return Ok(None),
            Some("-") => input.text(Some("-"), None)?,
            Some(path) => input.text(None, Some(path.as_ref()))?,
        };
        text.map(|it| Plan::parse(&it)).transpose()
    }

    /// The call that goes on where this one stopped.
    fn again(&self, project: &str) -> String {
        let mut line =
            vec!["drover".to_owned(), "run".to_owned(), "-p".to_owned(), project.to_owned()];
        line.extend(self.plan.clone().filter(|it| it != "-"));
        for (flag, value) in [("--engine", &self.engine), ("--command", &self.command)] {
            line.extend(value.iter().flat_map(|it| [flag.to_owned(), it.clone()]));
        }
        line.extend(["--workers".to_owned(), self.workers.to_string()]);
        if self.timeout != "never" {
            line.extend(["--timeout".to_owned(), self.timeout.clone()]);
        }
        if self.keep_agents {
            line.push("--keep-agents".to_owned());
        }
        words::join(line.iter().map(String::as_str))
    }
}

/// A person at a terminal, or whoever reads our output.
struct Terminal {
    is_trusting: bool,
    can_ask: bool,
}

impl Audience for Terminal {
    fn trusts(&mut self, commands: &[Untrusted]) -> Result<bool, OpError> {
        for it in commands {
            progress(&format!("{} wants to run: {}", it.source, it.text));
        }
        if self.is_trusting {
            return Ok(true);
        }
        Ok(self.can_ask && ask("Let these commands run?"))
    }

    fn hears(&mut self, pass: &Pass) {
        dispatch::tell(pass);
    }
}

/// The answer to a run or a demo.
pub(super) fn report(ran: &Ran, data: RunEnded, call: Option<&Run>) -> Report {
    let project = &ran.project.name;
    let mut card = match ran.end {
        End::Done => format!("Every task of {project} is closed, and all its work is landed.\n"),
        End::NeedsPerson => format!("Only people can move {project} on.\n"),
        End::NoAgent => format!("No worker of {project} lives.\n"),
        End::TimedOut => format!("The time is over, and {project} is not done.\n"),
        End::Interrupted => format!("Stopped handing out tasks of {project}.\n"),
    };
    let Trunk { branch, commit, fast_forward } = &ran.trunk;
    let _ = writeln!(card, "The work stands on {branch} at {}.", dispatch::short(commit));
    if !ran.agents.is_empty() {
        let _ = writeln!(card, "Still running: {}.", ran.agents.join(", "));
    }
    if let Some(tests) = &data.tests {
        let _ = writeln!(card, "\nThe repository's own tests say:\n{}", visible(tests));
    }
    let is_done = ran.end == End::Done;
    let mut report = Report::new(dispatch::word(ran.end), data).card(card);
    if is_done {
        report = report.next("bring it to your branch", fast_forward);
    }
    if !is_done {
        report = report.next("see what is needed", format!("drover state -p {project}"));
        if let Some(call) = call {
            report = report.next("go on", call.again(project));
        }
        for agent in &ran.agents {
            report = report.next("end a worker", format!("drover agent close {project}/{agent}"));
        }
    }
    report.next("see how it went", format!("drover log -p {project}"))
}
