//! `drover agent delegate`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use drover_core::duration::Limit;
use drover_ops::call::Healing;
use drover_ops::delegates::{self, Ask, Delegated, Waited};
use drover_ops::{Ctx, OpError, words};

use crate::input::Input;
use crate::output::{Report, Table, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{DelegateAnswer, DelegateView, Items};

/// Have a helper work on a task in words, in a pane of its own, and take its answer.
///
/// It returns at once; the answer is kept, and the pane is closed when the helper is done.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").args(["text", "file", "list", "cancel", "answer"]).required(true),
    group = ArgGroup::new("task_given").args(["text", "file"]),
    after_help = "Example:\n  drover agent delegate \"Does every error name its thing?\" --label errors\n\n\
        Exit codes: 0, 2 an engine that shows no end of its turns, 3 unknown, 5 no room even to wait, or --wait \
        was over, 6 it failed or died, 7 with --wait when it needs a person, 130 interrupted."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Delegate {
    /// The task, taken as typed, with all that the helper must know; `-` reads standard input.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Read the task from a file.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What it is about, in a word or two: part of its name.
    #[arg(long, value_name = "TEXT", requires = "task_given")]
    label: Option<String>,
    /// What it is told before the task.
    #[arg(long, value_name = "TEXT", requires = "task_given")]
    brief: Option<String>,
    /// Where it works; where you stand when absent.
    #[arg(long, value_name = "DIR", conflicts_with = "workspace", requires = "task_given")]
    cwd: Option<PathBuf>,
    /// Give it a workspace of its own, in the project that is meant.
    #[arg(long, requires = "task_given")]
    workspace: bool,
    /// What it runs.
    #[arg(long, value_name = "ENGINE", requires = "task_given")]
    engine: Option<String>,
    /// The model it is to use.
    #[arg(long, value_name = "MODEL", requires = "task_given")]
    model: Option<String>,
    /// Leave its pane open when it is done.
    #[arg(long, requires = "task_given")]
    keep: bool,
    /// Note its verdict on this task.
    #[arg(long, value_name = "TASK", requires = "task_given")]
    record: Option<String>,
    /// How long it may take, and how long --wait waits; an hour when absent.
    #[arg(long, value_name = "TIME", value_parser = Limit::parse, conflicts_with_all = ["list", "cancel"])]
    timeout: Option<Limit>,
    /// Wait for its answer.
    #[arg(long, conflicts_with_all = ["list", "cancel"])]
    wait: bool,
    /// List those that work or wait, and the newest that have ended.
    #[arg(long)]
    list: bool,
    /// Stop this one.
    #[arg(long, value_name = "NAME")]
    cancel: Option<String>,
    /// Show what this one answered.
    #[arg(long, value_name = "NAME")]
    answer: Option<String>,
}

impl Verb for Delegate {
    fn name(&self) -> &'static str {
        "agent delegate"
    }

    fn effect(&self) -> Effect {
        if self.list || self.answer.is_some() {
            Effect::Reads
        } else {
            Effect::Changes(Healing::Looks)
        }
    }

    fn file(&self) -> Option<&std::path::Path> {
        self.file.as_deref()
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        self.check()?;
        if self.list {
            let all = delegates::list(ctx)?;
            return Ok(listed(ctx, &all));
        }
        if let Some(name) = &self.cancel {
            let cancelled = delegates::cancel(ctx, name)?;
            return Ok(one("cancelled", &cancelled));
        }
        let delegated = match &self.answer {
            Some(name) => delegates::find(ctx, name)?,
            None => {
                delegates::settle(ctx)?;
                delegates::ask(ctx, &self.request(input)?)?
            }
        };
        if !self.wait || ctx.is_dry_run() {
            return Ok(as_it_stands(&delegated, self.answer.is_some()));
        }
        let until = self.limit().deadline(ctx.now());
        let (delegated, waited) = delegates::wait(ctx, delegated, until)?;
        Ok(match waited {
            Waited::Ended => as_it_stands(&delegated, true),
            Waited::NeedsPerson => one("needs_person", &delegated),
            Waited::TimedOut => one("timed_out", &delegated),
            Waited::Interrupted => one("interrupted", &delegated),
        })
    }
}

impl Delegate {
    fn limit(&self) -> Limit {
        self.timeout.unwrap_or(Limit::For(Duration::from_hours(1)))
    }

    /// A flag that would have nothing to do is refused rather than ignored.
    fn check(&self) -> Result<(), OpError> {
        if self.answer.is_some() && !self.wait && self.timeout.is_some() {
            let what =
                "--answer shows what is there, so --timeout has nothing to do without --wait";
            return Err(OpError::Usage(what.to_owned()));
        }
        Ok(())
    }

    fn request(&self, input: &Input) -> Result<Ask, OpError> {
        let missing = || OpError::Usage("the task is missing".to_owned());
        let task = input.bytes(self.text.as_deref(), self.file.as_deref())?.ok_or_else(missing)?;
        Ok(Ask {
            task,
            label: self.label.clone(),
            brief: self.brief.clone(),
            cwd: self.cwd.clone(),
            workspace: self.workspace,
            engine: self.engine.clone(),
            model: self.model.clone(),
            timeout: self.limit(),
            keep: self.keep,
            record: self.record.clone(),
        })
    }
}

/// What is said of a delegate: on its way, or how it ended.
fn as_it_stands(delegated: &Delegated, is_awaited: bool) -> Report {
    let word = match delegated.delegate.state.as_str() {
        "queued" => "queued",
        "starting" | "running" if is_awaited => "shown",
        "starting" | "running" => "delegated",
        "done" => "answered",
        "empty" => "no_answer",
        "cancelled" => "cancelled",
        "died" => "agent_dead",
        "timeout" => "timed_out",
        _ => "delegate_failed",
    };
    one(word, delegated)
}

fn one(word: &str, delegated: &Delegated) -> Report {
    let delegate = &delegated.delegate;
    let name = format!("{}/{}", delegated.project.name, delegate.name);
    let mut card = format!("{name}: {}", delegate.state);
    if let Some(reason) = &delegate.reason {
        let _ = write!(card, " ({})", visible(reason));
    }
    if let Some(text) = &delegated.answer {
        let head = if delegate.state == "done" { "" } else { "Its screen:\n" };
        let _ = write!(card, "\n\n{head}{}", visible(text).trim_end());
    }
    let report = Report::new(word, DelegateAnswer { delegate: DelegateView::new(delegated) });
    let report = report.card(card);
    let bare = words::quote(&delegate.name);
    let is_open = matches!(delegate.state.as_str(), "queued" | "starting" | "running");
    let report = if is_open {
        report
            .next("take its answer", format!("drover agent delegate --answer {bare} --wait"))
            .next("stop it", format!("drover agent delegate --cancel {bare}"))
    } else {
        report
    };
    if delegated.agent.is_none() {
        return report;
    }
    let report = report.next("look at it", format!("drover agent attach {name}"));
    if is_open {
        report
    } else {
        report.next("close its pane", format!("drover agent close {name}"))
    }
}

fn listed(ctx: &Ctx, all: &[Delegated]) -> Report {
    let mut table = Table::new(&["DELEGATE", "STATE", "AGE", "BY", "WHAT"], 4);
    for it in all {
        let delegate = &it.delegate;
        let what = match (&it.answer, &delegate.reason) {
            (Some(answer), _) if delegate.state == "done" => words::ending(answer),
            (_, Some(reason)) => reason.clone(),
            _ => delegate.label.clone().unwrap_or_default(),
        };
        table.row([
            format!("{}/{}", it.project.name, delegate.name),
            delegate.state.clone(),
            words::age(&delegate.created_at, ctx.now()),
            delegate.delegator.clone(),
            what,
        ]);
    }
    let card = if all.is_empty() { "No delegates".to_owned() } else { table.render_for_terminal() };
    let views = all.iter().map(DelegateView::new).collect::<Vec<_>>();
    Report::new("listed", Items::new(views))
        .card(card)
        .next("read one's answer", "drover agent delegate --answer <name>")
}
