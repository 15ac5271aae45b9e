//! `drover task import`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use drover_ops::tasks::{self, Format, Imported, Plan};
use drover_ops::{Ctx, OpError, words};

use crate::input::Input;
use crate::output::{Report, one_line, progress};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::TasksImported;

/// Add the tasks of a file, all or nothing; what is there already stays as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task import plan.json --dry-run\n\nA plan is {\"tasks\":[{\"id\",\"title\",\"status\",\"impact\",\"effort_days\",\"blocked_by\":[ids],\"note\",\"notes\":[{\"text\",\"author\",\"at\"}],\"owns\":[paths],\"verify\",\"labels\":[],\"created_at\"}]}; id and title are needed. In a Markdown checklist an item inside another blocks it; <!-- drover {\"id\":…} --> behind a title says the rest. A second import adds what is new and lists what differs.\n\nExit codes: 0, 2 the file is wrong, 3 a cycle, 4 an id is another task's, 5 the file cannot be read."
)]
pub(crate) struct Import {
    /// The file; `-` reads standard input.
    file: PathBuf,
    /// Its form; without this, what its name and its first line show.
    #[arg(long, value_enum)]
    format: Option<Form>,
}

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Our own JSON plan.
    #[value(alias = "json")]
    Plan,
    /// The JSON lines that beads exports.
    Beads,
    /// A Markdown checklist.
    Markdown,
    /// What Taskwarrior exports.
    Taskwarrior,
}

/// How many lines of one kind a card shows.
const SHOWN: usize = 10;
/// An import of so many tasks takes a while, which is said.
const MANY: usize = 20_000;

impl Form {
    fn format(self) -> Format {
        match self {
            Self::Plan => Format::Plan,
            Self::Beads => Format::Beads,
            Self::Markdown => Format::Markdown,
            Self::Taskwarrior => Format::Taskwarrior,
        }
    }
}

impl Verb for Import {
    fn name(&self) -> &'static str {
        "task import"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn file(&self) -> Option<&Path> {
        (self.file != Path::new("-")).then_some(self.file.as_path())
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let imported = tasks::import(ctx, &self.plan(ctx, input)?)?;
        let project = &imported.project.name;
        let outcome = if imported.is_unchanged() { "unchanged" } else { "imported" };
        let mut report = Report::new(outcome, TasksImported::from(&imported))
            .card(card(&imported))
            .next("see what can start", format!("drover task next -n 0 -p {project}"));
        if !imported.differs.is_empty() {
            let file = words::quote(&self.file.to_string_lossy());
            report = report
                .next("bring a task to the file", format!("drover task update {project}/<id> …"))
                .next("see it again", format!("drover task import {file} -p {project} --dry-run"));
        }
        Ok(report)
    }
}

impl Import {
    fn plan(&self, ctx: &Ctx, input: &Input) -> Result<Plan, OpError> {
        let bytes = match self.file() {
            Some(file) => input.file(file)?,
            None => input.stdin()?.to_vec(),
        };
        let text = tasks::decode(bytes)?;
        let format = match self.format {
            Some(format) => format.format(),
            None => Format::of(self.file(), &text)?,
        };
        let plan = Plan::read(format, &text, ctx.now())?;
        if plan.len() >= MANY {
            progress(&format!("{} tasks are written, which takes a while", plan.len()));
        }
        Ok(plan)
    }
}

fn card(imported: &Imported) -> String {
    let mut card = if imported.is_unchanged() {
        format!(
            "Nothing of it is new in {}: {} tasks and {} edges were there already\n",
            imported.project.name, imported.present, imported.edges_present
        )
    } else {
        format!(
            "Imported into {}: {} tasks, {} edges and {} notes are new; {} tasks were there already\n",
            imported.project.name,
            imported.added.len(),
            imported.edges,
            imported.notes,
            imported.present
        )
    };
    if !imported.added.is_empty() {
        let first: Vec<&str> = imported.added.iter().take(SHOWN).map(String::as_str).collect();
        let more = imported.added.len().saturating_sub(SHOWN);
        let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(card, "New: {}{and_more}", first.join(", "));
    }
    if imported.relations > 0 && !imported.is_unchanged() {
        let _ =
            writeln!(card, "Relations that are no edges, kept as notes: {}", imported.relations);
    }
    if !imported.in_notes.is_empty() && !imported.is_unchanged() {
        let fields: Vec<String> =
            imported.in_notes.iter().map(|it| format!("{} ({})", one_line(it.0), it.1)).collect();
        let _ = writeln!(card, "Other fields, kept in notes: {}", fields.join(", "));
    }
    let differs = imported.differs.iter().map(|it| {
        format!("Left as it is: {} {}: here {}, in the file {}", it.task, it.field, it.row, it.plan)
    });
    list(&mut card, differs, "fields that differ");
    let left_out = imported.left_out.iter();
    let left_out = left_out.map(|it| format!("Left out: {}: {}: {}", it.place, it.what, it.why));
    list(&mut card, left_out, "that are left out");
    let substituted = imported.substituted.iter();
    let substituted = substituted.map(|it| format!("{}: {} is {}", it.place, it.what, it.instead));
    list(&mut card, substituted, "kept otherwise");
    card
}

fn list(card: &mut String, lines: impl ExactSizeIterator<Item = String>, what: &str) {
    let more = lines.len().saturating_sub(SHOWN);
    for line in lines.take(SHOWN) {
        let _ = writeln!(card, "{}", one_line(&line));
    }
    if more > 0 {
        let _ = writeln!(card, "… and {more} more {what}");
    }
}
