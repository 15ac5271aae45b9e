//! `drover task wait`.

use clap::Args;
use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_core::task::Status;
use drover_ops::waits::{self, End, Need, OnStall, TaskState, TaskWait, WaitedTask};
use drover_ops::{Ctx, OpError};

use crate::commands::waited::outcome;
use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{TasksWaited, WaitedTaskView};

/// Wait until tasks have a status, or cannot get there by themselves.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task wait design_the_schema --timeout 1h\n\nExit codes: 0, 3 unknown, 4 deleted meanwhile, 5 the time was over, 6 its agent died, 7 its agent needs a person, 130 interrupted."
)]
pub(crate) struct Wait {
    /// The tasks: `<id>` or `<project>/<id>`.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The status to wait for: OPEN, `IN_PROGRESS` or CLOSED.
    #[arg(long, default_value = "CLOSED", value_parser = status)]
    status: Status,
    /// Until one of them has it.
    #[arg(long)]
    any: bool,
    /// Until one of them has it, and name it on a line of its own.
    #[arg(long, conflicts_with = "any")]
    first: bool,
    /// How long to wait.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = Limit::parse)]
    timeout: Limit,
    /// How long the agent that holds a task may be idle; 5s after the turn of one that reports its turns
    /// ended, 2m for others.
    #[arg(long, value_name = "TIME", value_parser = Limit::parse)]
    stuck_after: Option<Limit>,
    /// What a task that does not move does: exit ends the wait, warn says it and goes on.
    #[arg(long, value_name = "WHAT", default_value = "exit", value_parser = ["exit", "warn"])]
    on_stall: String,
}

fn status(text: &str) -> Result<Status, String> {
    Status::parse(&text.to_ascii_uppercase()).map_err(|err| err.to_string())
}

impl Verb for Wait {
    fn name(&self) -> &'static str {
        "task wait"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let request = TaskWait {
            ids: self.ids.clone(),
            status: self.status,
            need: if self.any || self.first { Need::Any } else { Need::All },
            timeout: self.timeout,
            stuck_after: self.stuck_after,
            on_stall: if self.on_stall == "warn" { OnStall::Warn } else { OnStall::Exit },
        };
        let waited = waits::wait_for_tasks(ctx, &request)?;
        let firing = waited.tasks.iter().find(|it| it.state == TaskState::Reached);
        let firing = firing.filter(|_| self.first).map(reference);
        let mut table = Table::new(&["task", "", "status", "owner", "why"], 4);
        for task in &waited.tasks {
            table.row([
                reference(task),
                task.state.as_str().to_owned(),
                task.task.state.full(),
                task.task.claimed_by.clone().unwrap_or_default(),
                task.reason.clone().unwrap_or_default(),
            ]);
        }
        let first = firing.as_ref().map(|it| format!("{it}\n")).unwrap_or_default();
        let report = Report::new(
            outcome(waited.end),
            TasksWaited {
                tasks: waited.tasks.iter().map(WaitedTaskView::new).collect(),
                timed_out: waited.end == End::TimedOut,
                firing,
            },
        );
        let report = report.card(format!("{first}{}", table.render_for_terminal()));
        Ok(waited.tasks.iter().filter_map(next).fold(report, |report, it| report.next(it.0, it.1)))
    }
}

fn reference(task: &WaitedTask) -> String {
    format!("{}/{}", task.project.name, task.task.id)
}

/// What helps a task on that did not get there.
fn next(task: &WaitedTask) -> Option<(String, String)> {
    let name = reference(task);
    match (task.state, &task.owner) {
        (TaskState::Reached, _) => None,
        (TaskState::Stalled, Some(owner)) => {
            let agent = format!("{}/{}", task.project.name, owner.agent.name);
            if owner.dialog.is_some() {
                let why = format!("see what {agent} asks and answer it");
                return Some((why, format!("drover agent approve {agent}")));
            }
            let turn = owner.turn.as_ref().filter(|it| it.number > 0);
            Some(match turn.filter(|_| owner.decided.state == Presence::Idle) {
                Some(turn) => (
                    format!("see what {agent} said"),
                    format!("drover agent wait {agent} --after-runs {}", turn.number - 1),
                ),
                None => (format!("see what {agent} shows"), format!("drover agent read {agent}")),
            })
        }
        (TaskState::Deleted, _) => Some(("see who deleted it".to_owned(), "drover log".to_owned())),
        _ => Some((format!("see {name}"), format!("drover task show {name}"))),
    }
}
