//! `drover me work`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::me::{self, WorkEnd};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{Items, TaskView, WorkedView};

/// Do your work: take the task you hold or the best ready one, run your command on it, verify, close.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover me work\n\nExit codes: 0 (closed, or nothing is ready), 3 you are no agent or have no command, 4 you are at work already, 6 the task was given back."
)]
pub(crate) struct Work {}

impl Verb for Work {
    fn name(&self) -> &'static str {
        "me work"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Cannot)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        if ctx.is_dry_run() {
            return Err(OpError::Usage("me work runs a command, so it has no dry run".to_owned()));
        }
        let Some(worked) = me::work(ctx)? else {
            return Ok(Report::new("nothing_ready", Items::<TaskView>::new(Vec::new()))
                .card("Nothing is ready."));
        };
        let (project, task) = (&worked.project.name, &worked.task);
        let id = format!("{project}/{}", task.id);
        let view = |end: &str, reason: Option<&str>, note: Option<String>| WorkedView {
            task: TaskView::new(project, task),
            end: end.to_owned(),
            reason: reason.map(str::to_owned),
            note,
        };
        Ok(match &worked.end {
            WorkEnd::Closed { evidence } => {
                let how = match &evidence.command {
                    Some(command) => format!("{} passed", visible(command)),
                    None => "its work command ended well".to_owned(),
                };
                let data = view("closed", None, Some(how.clone()));
                Report::new("closed", data).card(format!("Closed {id}: {how}"))
            }
            WorkEnd::Released { reason, note } => {
                let data = view("released", Some(reason), Some(note.clone()));
                Report::new("work_released", data)
                    .card(format!("Gave {id} back: {}", visible(note)))
                    .next("see what happened", format!("drover task notes {id}"))
            }
        })
    }
}
