//! `drover task update` and `drover task rename`.

use clap::Args;
use drover_ops::tasks::{self, Verify};
use drover_ops::{Ctx, OpError};

use crate::input::{Input, parts_or_none};
use crate::output::Report;
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{TaskRenamed, TaskUpdated, TaskView};

/// Change what a task says of itself.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task update build_the_page --impact 80 --owns src/build/\n\nExit codes: 0 (also when nothing differs), 2 no field or a bad one, 3 unknown."
)]
pub(crate) struct Update {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What is to be done; `-` reads standard input.
    #[arg(short, long)]
    title: Option<String>,
    /// How much it matters, 1 to 100.
    #[arg(short, long)]
    impact: Option<i64>,
    /// Days of work, fractions allowed.
    #[arg(short, long)]
    effort_days: Option<f64>,
    /// The repository paths the work stays within, replacing those before; '' for none.
    #[arg(long, value_delimiter = ',', value_name = "PATH")]
    owns: Option<Vec<String>>,
    /// The labels, replacing those before; '' for none.
    #[arg(long = "label", value_delimiter = ',', value_name = "LABEL")]
    labels: Option<Vec<String>>,
    /// The command that proves it done.
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_verify")]
    verify: Option<String>,
    /// Take the command that proves it done away.
    #[arg(long)]
    no_verify: bool,
}

impl Verb for Update {
    fn name(&self) -> &'static str {
        "task update"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let list = |flag, given: &Option<Vec<String>>| {
            given.as_deref().map(|it| parts_or_none(flag, it)).transpose()
        };
        let request = tasks::Update {
            id: self.id.clone(),
            title: input.said("title", self.title.as_deref())?,
            impact: self.impact,
            effort_days: self.effort_days,
            owns: list("--owns", &self.owns)?,
            labels: list("--label", &self.labels)?,
            verify: match (&self.verify, self.no_verify) {
                (Some(command), _) => Verify::Set(command.clone()),
                (None, true) => Verify::Remove,
                (None, false) => Verify::Keep,
            },
        };
        let updated = tasks::update(ctx, &request)?;
        let (project, task) = (&updated.project.name, &updated.task);
        let (outcome, card) = if updated.changed.is_empty() {
            ("unchanged", format!("Nothing of {} differs from what was there", task.id))
        } else {
            ("updated", format!("Updated {}: {}", task.id, updated.changed.join(", ")))
        };
        let changed = updated.changed.iter().map(|it| (*it).to_owned()).collect();
        let data = TaskUpdated { task: TaskView::new(project, task), changed };
        Ok(Report::new(outcome, data)
            .card(card)
            .next("read it whole", format!("drover task show {project}/{}", task.id)))
    }
}

/// Give a task another id; edges, notes and claims stay with it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task rename write_the_guide guide\n\nExit codes: 0 (also when it has that id), 2 a bad id, 3 unknown, 4 the id is taken."
)]
pub(crate) struct Rename {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// The new id, free in the same project.
    new: String,
}

impl Verb for Rename {
    fn name(&self) -> &'static str {
        "task rename"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let renamed = tasks::rename(ctx, &self.id, &self.new)?;
        let (project, task) = (&renamed.project.name, &renamed.task);
        let changed = renamed.was != task.id;
        let data =
            TaskRenamed { task: TaskView::new(project, task), was: renamed.was.clone(), changed };
        let (outcome, card) = if changed {
            ("renamed", format!("Renamed {} to {}", renamed.was, task.id))
        } else {
            ("unchanged", format!("{} has that id already", task.id))
        };
        Ok(Report::new(outcome, data)
            .card(card)
            .next("read it whole", format!("drover task show {project}/{}", task.id)))
    }
}
