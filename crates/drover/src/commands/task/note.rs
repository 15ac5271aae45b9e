//! `drover task note` and `drover task notes`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use drover_ops::tasks::{self, Since};
use drover_ops::{Ctx, OpError};

use super::entry;
use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{EntryView, NoteView, TaskNoted, TaskNotes, TaskView};

/// Write a note on a task, of at most 1 MiB.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task note build_the_page \"the flag is called --fast\"\n\nExit codes: 0, 2 blank, too long or no UTF-8, 3 unknown."
)]
pub(crate) struct Note {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// The text, taken as typed; `-` reads standard input.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Read the text from a file.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Verb for Note {
    fn name(&self) -> &'static str {
        "task note"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let text = input.prose("note", self.text.as_deref(), self.file.as_deref())?;
        let noted = tasks::note(ctx, &self.id, &text)?;
        let (project, task) = (&noted.project.name, &noted.task);
        let reference = format!("{project}/{}", task.id);
        let mut report = Report::new(
            "noted",
            TaskNoted {
                task: TaskView::new(project, task),
                note: NoteView::from(&noted.note),
                unseen_by: noted.unseen_by.clone(),
            },
        )
        .card(format!("Noted on {}", task.id));
        if let Some(holder) = &noted.unseen_by {
            ctx.warn(format!("{holder} works on it and will not see the note by itself"));
            if let Some(agent) = holder.split('@').next().filter(|it| !it.starts_with("user:")) {
                let run = format!("drover agent send {agent} \"<text>\" -p {project}");
                report = report.next("tell its holder", run);
            }
        }
        Ok(report.next("read them all", format!("drover task notes {reference}")))
    }
}

/// Read the notes of a task, with its evidence in line, oldest first.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task notes build_the_page --since 2h\n\nExit codes: 0, 2 bad time or number, 3 unknown or never claimed."
)]
pub(crate) struct Notes {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// Only the last so many.
    #[arg(long, visible_alias = "last", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    tail: Option<usize>,
    /// Only from this time on: RFC 3339, a day in UTC, or how long ago.
    #[arg(long, value_name = "TIME", conflicts_with = "since_claim")]
    since: Option<String>,
    /// Only from the last claim on.
    #[arg(long)]
    since_claim: bool,
}

impl Verb for Notes {
    fn name(&self) -> &'static str {
        "task notes"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let since = match (&self.since, self.since_claim) {
            (Some(time), _) => Since::Time(time.clone()),
            (None, true) => Since::Claim,
            (None, false) => Since::Beginning,
        };
        let request = tasks::Notes { id: self.id.clone(), since, tail: self.tail };
        let listed = tasks::notes(ctx, &request)?;
        let (project, task) = (&listed.project.name, &listed.task);
        let mut card = format!("{}: {}\n", task.id, one_line(&task.title));
        for it in &listed.entries {
            card.push_str(&entry::entry(it));
        }
        if listed.entries.is_empty() {
            card.push_str("  nothing is written there\n");
        }
        let left_out = listed.total - listed.entries.len();
        if left_out > 0 {
            let _ = writeln!(card, "… and {left_out} before these");
        }
        let data = TaskNotes {
            id: task.id.clone(),
            items: listed.entries.iter().map(EntryView::from).collect(),
            count: listed.entries.len(),
            total: listed.total,
        };
        Ok(Report::new("listed", data)
            .card(card)
            .next("write one", format!("drover task note {project}/{} \"<text>\"", task.id)))
    }
}
