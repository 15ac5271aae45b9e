//! `drover me show` and `drover me tasks`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::task::State;
use drover_ops::me::{self, Held, Me};
use drover_ops::{Ctx, OpError, words};

use crate::input::Input;
use crate::output::{Report, Table, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{MeView, held};

/// Show who you are and what you hold.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  drover me show\n\nExit codes: 0, 4 the token is not yours.")]
pub(crate) struct Who {
    /// The tasks you hold that are open or closed, too.
    #[arg(long, alias = "include-closed")]
    all: bool,
}

/// List the tasks you hold, in every project.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover me tasks --all\n\nExit codes: 0, 4 the token is not yours."
)]
pub(crate) struct Tasks {
    /// Those that are open or closed, too.
    #[arg(long, alias = "include-closed")]
    all: bool,
}

impl Who {
    /// Oneself, when no verb is named.
    pub(super) fn bare() -> Self {
        Self { all: false }
    }
}

fn which(is_all: bool) -> Held {
    if is_all { Held::All } else { Held::Active }
}

impl Verb for Who {
    fn name(&self) -> &'static str {
        "me show"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let me = me::me(ctx, which(self.all))?;
        let mut card = format!("You are {}", me.word);
        if let Some(agent) = &me.agent {
            let _ = write!(card, " ({})", agent.profile.role);
        }
        card.push('\n');
        for (project, task) in &me.tasks {
            let (project, id, title) = (&project.name, &task.id, visible(&task.title));
            let _ = match task.state {
                State::Active => writeln!(card, "You hold {project}/{id}: {title}"),
                state => writeln!(card, "You hold {project}/{id} ({state}): {title}"),
            };
        }
        let report = Report::new("shown", MeView::from(&me)).card(card);
        Ok(go_on(report, &me))
    }
}

impl Verb for Tasks {
    fn name(&self) -> &'static str {
        "me tasks"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let me = me::me(ctx, which(self.all))?;
        let mut table = Table::new(&["project", "id", "state", "title", "touched"], 3);
        for (project, task) in &me.tasks {
            table.row([
                project.name.clone(),
                task.id.clone(),
                task.state.to_string(),
                task.title.clone(),
                words::age(&task.updated_at, ctx.now()),
            ]);
        }
        let card = if me.tasks.is_empty() {
            "You hold no task.".to_owned()
        } else {
            table.render_for_terminal()
        };
        Ok(go_on(Report::new("listed", held(&me)).card(card), &me))
    }
}

fn go_on(report: Report, me: &Me) -> Report {
    match me.tasks.first() {
        Some((project, task)) => {
            report.next("read it", format!("drover task show {}/{}", project.name, task.id))
        }
        None => report.next("take one", "drover task next --claim"),
    }
}
