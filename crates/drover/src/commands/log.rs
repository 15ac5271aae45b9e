//! `drover log`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use drover_ops::log::{self, Item, Read, Since};
use drover_ops::{Ctx, OpError};

use crate::input::{Input, parts};
use crate::output::{Around, Format, Printer, Report, one_line, success, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{ChangeLogged, ChangeView, Items, LineAppended};

/// Read what happened, follow it as it happens, or add a line to it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover log -n 5\n\nWithout a project that is clearly meant, and with --all, everything is read; a project that is torn down is still known by its name. A watcher can keep a ledger here: `drover log <state> --kind <own word>`, read back with -n 1. A tail goes on until Ctrl-C (130) or until its reader is gone; with --json it prints one object a line.\n\nExit codes: 0, 2 no project for a new line, 3 no such group, 4 several groups begin so, 130 interrupted."
)]
pub(crate) struct Log {
    /// A line to add; `-` reads standard input. Without it the log is read.
    text: Option<String>,
    /// A file with the line to add.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Of a new line: its kind, `message` when absent. Else: only these kinds of row, or lines of these kinds.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// How many changes: the first from --since on, else the last; 0 for all.
    #[arg(short = 'n', long, default_value_t = 50, conflicts_with_all = ["text", "file", "tail"])]
    count: u32,
    /// From here on: a position (not itself), a time, or a span like 8h.
    #[arg(long, value_name = "SEQ|TIME|SPAN", conflicts_with_all = ["text", "file"])]
    since: Option<String>,
    /// Only what these agents or people did.
    #[arg(long, alias = "by", value_name = "NAME", value_delimiter = ',', conflicts_with_all = ["text", "file"])]
    source: Vec<String>,
    /// Only what these verbs did, as `task.claim`, or the verbs of these nouns, as `task`.
    #[arg(long, value_name = "VERB", value_delimiter = ',', conflicts_with_all = ["text", "file"])]
    intent: Vec<String>,
    /// Only this change group: its id or a unique beginning of it.
    #[arg(long, value_name = "GROUP", conflicts_with_all = ["text", "file"])]
    group: Option<String>,
    /// Every project.
    #[arg(long, conflicts_with_all = ["text", "file"])]
    all: bool,
    /// Go on as it happens; starts at the end unless --since says otherwise.
    #[arg(long, conflicts_with_all = ["text", "file"])]
    tail: bool,
}

impl Log {
    fn request(&self, ctx: &Ctx) -> Result<Read, OpError> {
        let since = self.since.as_deref().map(|it| Since::parse(it, ctx.now())).transpose()?;
        Ok(Read {
            since,
            sources: parts("--source", &self.source)?,
            kinds: parts("--kind", &self.kind)?,
            intents: parts("--intent", &self.intent)?,
            group: self.group.clone(),
            is_all: self.all,
            count: (self.count > 0).then_some(self.count),
        })
    }

    fn is_append(&self) -> bool {
        self.text.is_some() || self.file.is_some()
    }

    fn append(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let text = input.prose("text", self.text.as_deref(), self.file.as_deref())?;
        let kind = match self.kind.as_slice() {
            [] => "message",
            [kind] => kind,
            several => {
                let several = several.join(", ");
                return Err(OpError::Usage(format!("a line has one kind, not {several}")));
            }
        };
        let line = log::append(ctx, kind, &text)?;
        let card = format!("Added to the log of {} as {}", line.project.name, line.seq);
        let next = format!("drover log -p {} --kind {}", line.project.name, line.kind);
        let data = LineAppended {
            seq: line.seq,
            project: line.project.name,
            kind: line.kind,
            author: line.author,
            text: line.text,
        };
        Ok(Report::new("appended", data).card(card).next("read such lines", next))
    }

    fn tail(&self, ctx: &Ctx, printer: Printer) -> Result<u8, OpError> {
        let mut tail = log::tail(ctx, &self.request(ctx)?)?;
        while let Some(items) = tail.next(ctx)? {
            for item in &items {
                if !print(printer, item, tail.spans_projects()) {
                    return Ok(0);
                }
            }
        }
        Ok(INTERRUPTED)
    }
}

/// The exit code of a verb that was told to stop.
const INTERRUPTED: u8 = 130;

/// Prints one change as a line; `false` when nobody reads any more.
fn print(printer: Printer, item: &Item, names_project: bool) -> bool {
    let line = match printer.format {
        Format::Json => {
            let report = Report::new("logged", ChangeLogged { change: item.into() });
            serde_json::to_string(&success(&report, &Around::default())).unwrap_or_default()
        }
        Format::Text => {
            format!("{} {}", item.op.at, told(item, names_project))
        }
    };
    let mut stdout = anstream::stdout().lock();
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).is_ok()
}

/// Who did what, in one line, and where if that is not clear.
fn told(item: &Item, names_project: bool) -> String {
    let (actor, words) = (visible(&item.op.actor), one_line(&item.words));
    let project = item.project.as_deref().filter(|_| names_project);
    let place = project.map(|it| format!(" [{}]", visible(it))).unwrap_or_default();
    format!("{actor} {}: {words}{place}", item.op.intent)
}

impl Verb for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn effect(&self) -> Effect {
        if self.is_append() { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        if self.is_append() {
            return self.append(ctx, input);
        }
        let items = log::read(ctx, &self.request(ctx)?)?;
        let mut card = String::new();
        let mut projects: Vec<&Option<String>> = items.iter().map(|it| &it.project).collect();
        projects.dedup();
        for it in &items {
            let group: String = it.op.group.chars().take(8).collect();
            let told = told(it, projects.len() > 1);
            let _ = writeln!(card, "{:>5} {} {group} {told}", it.op.seq, it.op.at);
        }
        if items.is_empty() {
            card.push_str("Nothing of that kind has happened.");
        }
        let views = items.iter().map(ChangeView::from).collect();
        Ok(Report::new("listed", Items::new(views)).card(card))
    }

    fn follow(&self, ctx: &mut Ctx, printer: Printer) -> Option<Result<u8, OpError>> {
        self.tail.then(|| self.tail(ctx, printer))
    }
}
