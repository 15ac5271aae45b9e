//! `drover task add`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, tasks};

use crate::input::{Input, parts};
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{TaskAdded, TaskView};

/// Add a task; the title is enough.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task add \"Design the schema\" --impact 80 --effort-days 0.5\n\nExit codes: 0, 2 bad words, 3 unknown blocker, 4 the id is taken."
)]
pub(crate) struct Add {
    /// What is to be done; `-` reads standard input.
    title: String,
    /// The id; made from the title when absent.
    #[arg(long)]
    id: Option<String>,
    /// How much it matters, 1 to 100.
    #[arg(short, long, default_value_t = 50)]
    impact: i64,
    /// Days of work, fractions allowed.
    #[arg(short, long, default_value_t = 1.0)]
    effort_days: f64,
    /// Tasks that must be done first; repeat or separate by commas.
    #[arg(short, long, value_delimiter = ',', value_name = "ID")]
    blocked_by: Vec<String>,
    /// A first note; `-` reads standard input.
    #[arg(long)]
    note: Option<String>,
    /// A repository path the work stays within, `dir/` for all below.
    #[arg(long, value_delimiter = ',', value_name = "PATH")]
    owns: Vec<String>,
    /// A label.
    #[arg(long = "label", value_delimiter = ',', value_name = "LABEL")]
    labels: Vec<String>,
    /// The command that proves it done.
    #[arg(long, value_name = "COMMAND")]
    verify: Option<String>,
    /// Propose it only: it must be admitted before it can start.
    #[arg(long)]
    triage: bool,
}

impl Verb for Add {
    fn name(&self) -> &'static str {
        "task add"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let added = tasks::add(
            ctx,
            &tasks::Add {
                title: input.prose("title", Some(&self.title), None)?,
                id: self.id.clone(),
                impact: self.impact,
                effort_days: self.effort_days,
                blocked_by: parts("--blocked-by", &self.blocked_by)?,
                note: input.said("note", self.note.as_deref())?,
                owns: parts("--owns", &self.owns)?,
                labels: parts("--label", &self.labels)?,
                verify: self.verify.clone(),
                triage: self.triage,
            },
        )?;
        let (project, task) = (&added.project.name, &added.task);
        let mut card = format!(
            "Added {}: {} ({}, impact {}, {} days)\n",
            task.id,
            one_line(&task.title),
            task.state,
            task.impact,
            task.effort_days
        );
        if !added.blockers.is_empty() {
            let _ = writeln!(card, "Blocked by {}", added.blockers.join(", "));
        }
        if let Some(uncut) = &added.uncut_id {
            ctx.warn(format!("the id was cut from {uncut}; --id gives another"));
        }
        let report = Report::new(
            "added",
            TaskAdded {
                task: TaskView::new(project, task),
                blocked_by: added.blockers.clone(),
                uncut_id: added.uncut_id.clone(),
            },
        );
        Ok(report.card(card).next("see what can start", format!("drover task next -p {project}")))
    }
}
