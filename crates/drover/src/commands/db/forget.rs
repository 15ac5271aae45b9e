//! `drover db forget`.

use clap::Args;
use drover_ops::call::Healing;
use drover_ops::shrink::{self, Mode};
use drover_ops::words::join;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::ProjectsForgotten;

/// Take torn-down projects out of the log for good; without a name, list those that could go.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover db forget\n\nWhat is forgotten is neither in the log nor to be had back by undo. The database is copied into its folder of backups first, where it all stands still.\n\nExit codes: 0 (without --yes a preview), 3 not torn down, or an agent called it, 5 the log does not tell the rows as they are, or the disk is full."
)]
pub(crate) struct Forget {
    /// Projects that were torn down.
    #[arg(value_name = "PROJECT")]
    projects: Vec<String>,
    /// Do it; without this, only show what would go.
    #[arg(long, requires = "projects")]
    yes: bool,
}

impl Verb for Forget {
    fn name(&self) -> &'static str {
        "db forget"
    }

    fn effect(&self) -> Effect {
        // A call that was cut off has forgotten the names by which a repeat would go on.
        if self.projects.is_empty() { Effect::Reads } else { Effect::Changes(Healing::Cannot) }
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let mode = if self.yes { Mode::Apply } else { Mode::Preview };
        let forgotten = shrink::forget(ctx, &self.projects, mode)?;
        let mut table = Table::new(&["project", "torn down", "changes", "bytes"], 0);
        for it in &forgotten.projects {
            table.row([it.name.clone(), it.at.clone(), it.ops.to_string(), it.bytes.to_string()]);
        }
        let outcome = match (&forgotten.shrunk, self.projects.is_empty()) {
            (Some(_), _) => "forgotten",
            (None, false) => "preview",
            (None, true) => "listed",
        };
        let mut card = if forgotten.projects.is_empty() {
            "No project was torn down that the log still tells of.\n".to_owned()
        } else {
            table.render_for_terminal()
        };
        if let Some(shrunk) = &forgotten.shrunk {
            card = format!("Forgotten:\n{card}{}", super::shrunk::lines(shrunk));
        }
        let report = Report::new(outcome, ProjectsForgotten::from(&forgotten)).card(card);
        let names = join(self.projects.iter().map(String::as_str));
        Ok(match (outcome, forgotten.projects.first()) {
            ("preview", _) => report.next("do it", format!("drover db forget {names} --yes")),
            ("listed", Some(first)) => {
                report.next("see what would go", format!("drover db forget {}", first.name))
            }
            _ => report.next("see what is kept", "drover doctor"),
        })
    }
}
