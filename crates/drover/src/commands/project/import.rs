//! `drover project import`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use drover_ops::projects::{self, ImportMu, ImportedMu, Taken};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::ProjectsImported;

/// Take over the workstreams of a database of mu, all or nothing; the file is only read.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project import --mu mu.db --dry-run\n\nWorkstreams become projects with their tasks, edges, notes and lines of the log. Agents and their checkouts stay mu's. A second import adds what is new and lists what differs.\n\nExit codes: 0, 2 a name breaks its rule, 3 it is no database of mu, no such workstream, or a cycle, 4 another version of mu or an id is another task's, 5 the file is damaged or cannot be read."
)]
pub(crate) struct Import {
    /// The database of mu, as `~/.local/state/mu/mu.db`.
    #[arg(long, value_name = "FILE", required = true)]
    mu: PathBuf,
    /// Only these workstreams.
    #[arg(long, value_name = "WORKSTREAM", value_delimiter = ',')]
    only: Vec<String>,
    /// The name that a workstream's project gets.
    #[arg(long, value_name = "WORKSTREAM=NAME", value_delimiter = ',', value_parser = renaming)]
    rename: Vec<(String, String)>,
}

/// How many lines of one kind a card shows.
const SHOWN: usize = 10;

fn renaming(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => {
            Ok((from.to_owned(), to.to_owned()))
        }
        _ => Err("it is WORKSTREAM=NAME".to_owned()),
    }
}

impl Verb for Import {
    fn name(&self) -> &'static str {
        "project import"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        if self.only.iter().any(|it| it.trim().is_empty()) {
            return Err(OpError::Usage("--only has a blank part".to_owned()));
        }
        let request = ImportMu {
            path: self.mu.clone(),
            only: self.only.clone(),
            renames: self.rename.clone(),
        };
        let imported = projects::import_mu(ctx, &request)?;
        let outcome = if imported.is_new() { "imported" } else { "unchanged" };
        let mut report =
            Report::new(outcome, ProjectsImported::from(&imported)).card(card(&imported));
        for taken in &imported.taken {
            let name = &taken.project;
            report = report.next(
                format!("see what can start in {name}"),
                format!("drover task next -n 0 -p {name}"),
            );
            if let Some((id, _)) = taken.in_progress.first() {
                report = report.next(
                    "put a task back that nobody works on",
                    format!("drover task release {name}/{id}"),
                );
            }
            if let Some((id, blockers)) = taken.waiting.first() {
                report = report.next(
                    "let a task start whose blockers are closed",
                    format!("drover task unblock {name}/{id} --by {}", blockers.join(",")),
                );
            }
        }
        Ok(report)
    }
}

fn card(imported: &ImportedMu) -> String {
    let mut card = String::new();
    for taken in &imported.taken {
        of_workstream(&mut card, taken);
    }
    let left: usize = imported.tables.iter().flat_map(|it| &it.left).map(|it| it.rows).sum();
    if left > 0 {
        let _ = writeln!(card, "Left in {}:", visible(&imported.path.display().to_string()));
    }
    for table in &imported.tables {
        for left in &table.left {
            let _ = writeln!(card, "  {} of {}: {}", left.rows, visible(&table.name), left.why);
        }
    }
    for it in &imported.checkouts {
        let (path, agent) = (visible(&it.path), visible(&it.agent));
        let _ = writeln!(card, "Stays where it is: {path} of {}/{agent}", visible(&it.workstream));
    }
    if card.is_empty() { "It holds nothing.".to_owned() } else { card }
}

fn of_workstream(card: &mut String, taken: &Taken) {
    let name = &taken.project;
    let verb = if taken.is_new { "Made" } else { "Looked at" };
    let _ = writeln!(
        card,
        "{verb} {name}: {} tasks, {} edges, {} notes and {} lines of the log are new",
        taken.tasks.len(),
        taken.edges,
        taken.notes,
        taken.lines
    );
    for (id, owner) in taken.in_progress.iter().take(SHOWN) {
        let owner = if owner.is_empty() { "nobody".to_owned() } else { visible(owner) };
        let _ = writeln!(card, "  In progress, and held by nobody here: {id} ({owner} had it)");
    }
    for (id, blockers) in taken.waiting.iter().take(SHOWN) {
        let blockers = blockers.join(", ");
        let _ = writeln!(card, "  Waits here: {id} for {blockers}, which are closed and not done");
    }
    for (id, what) in taken.changed.iter().take(SHOWN) {
        let _ = writeln!(card, "  Changed: {id}: {}", visible(what));
    }
    for it in taken.differs.iter().take(SHOWN) {
        let (there, here) = (visible(&it.there), visible(&it.here));
        let _ =
            writeln!(card, "  Left as it is: {} {}: here {here}, in mu {there}", it.task, it.field);
    }
    let longest =
        [taken.in_progress.len(), taken.waiting.len(), taken.changed.len(), taken.differs.len()];
    if longest.iter().any(|it| *it > SHOWN) {
        let _ = writeln!(card, "  … and more, which --json lists");
    }
}
