//! `drover task import`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use drover_ops::tasks::{self, Imported, Plan};
use drover_ops::{Ctx, OpError, words};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::TasksImported;

/// Add the tasks of a JSON plan, all or nothing; what is there already stays as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task import plan.json --dry-run\n\nA plan is {\"tasks\":[{\"id\",\"title\",\"impact\",\"effort_days\",\"blocked_by\":[ids],\"note\",\"owns\":[paths],\"verify\",\"labels\":[]}]}; id and title are needed. A second import adds what is new and lists what differs.\n\nExit codes: 0, 2 the plan is wrong, 3 a cycle, 4 an id is another task's, 5 the file cannot be read."
)]
pub(crate) struct Import {
    /// The plan; `-` reads standard input.
    file: PathBuf,
}

/// How many lines of one kind a card shows.
const SHOWN: usize = 10;

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
        let words = (self.file == Path::new("-")).then_some("-");
        let text = input.text(words, self.file())?.unwrap_or_default();
        let imported = tasks::import(ctx, &Plan::parse(&text)?)?;
        let project = &imported.project.name;
        let mut report = Report::new("imported", TasksImported::from(&imported))
            .card(card(&imported))
            .next("see what can start", format!("drover task next -n 0 -p {project}"));
        if !imported.differs.is_empty() {
            let file = words::quote(&self.file.to_string_lossy());
            report = report
                .next("bring a task to the plan", format!("drover task update {project}/<id> …"))
                .next("see it again", format!("drover task import {file} -p {project} --dry-run"));
        }
        Ok(report)
    }
}

fn card(imported: &Imported) -> String {
    let mut card = format!(
        "Imported into {}: {} tasks, {} edges and {} notes are new; {} tasks were there already\n",
        imported.project.name,
        imported.added.len(),
        imported.edges,
        imported.notes,
        imported.present
    );
    if !imported.added.is_empty() {
        let first: Vec<&str> = imported.added.iter().take(SHOWN).map(String::as_str).collect();
        let more = imported.added.len().saturating_sub(SHOWN);
        let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(card, "New: {}{and_more}", first.join(", "));
    }
    for it in imported.differs.iter().take(SHOWN) {
        let (plan, row) = (visible(&it.plan), visible(&it.row));
        let _ = writeln!(
            card,
            "Left as it is: {} {}: here {row}, in the plan {plan}",
            it.task, it.field
        );
    }
    let more = imported.differs.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(card, "… and {more} more fields that differ");
    }
    card
}
