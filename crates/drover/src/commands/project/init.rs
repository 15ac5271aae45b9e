//! `drover project init`.

use std::path::PathBuf;

use clap::Args;
use drover_ops::workspaces::Kind;
use drover_ops::{Ctx, OpError, projects};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::ProjectCreated;

/// Make a project; one that exists is left as it is.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project init web --repo .\n\nExit codes: 0 made or found, 2 the name breaks its rule, 3 no repository or one without commits, 4 another repository or a branch in the way."
)]
pub(crate) struct Init {
    /// The name: lower-case letters, digits, `_` and `-`.
    name: String,
    /// What it is called in full.
    #[arg(long)]
    title: Option<String>,
    /// A directory of the repository that its agents work on; never moved or written to but for branches below `drover/`.
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// What keeps it, where it is not to be found out: git, jj, or nothing, so that each agent gets a copy of the directory.
    #[arg(long, value_name = "KIND", requires = "repo", value_parser = ["git", "jj", "copy"])]
    kind: Option<String>,
}

impl Verb for Init {
    fn name(&self) -> &'static str {
        "project init"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let made = projects::init(
            ctx,
            &projects::Init {
                name: self.name.clone(),
                title: self.title.clone(),
                repository: self.repo.clone(),
                kind: self.kind.as_deref().and_then(Kind::parse),
            },
        )?;
        let listed = projects::show(ctx, Some(&made.project.name))?;
        let name = &made.project.name;
        let (outcome, verb) = match (made.is_new, made.is_repository_new) {
            (true, _) => ("created", "Made"),
            (false, true) => ("added", "Gave a repository to"),
            (false, false) => ("exists", "Found"),
        };
        let data = ProjectCreated {
            project: (&listed).into(),
            created: made.is_new,
            repository_added: made.is_repository_new,
        };
        let mut card = format!("{verb} the project {name}: {}\n", visible(&made.project.title));
        if let Some(repository) = &listed.repository {
            card.push_str(&super::card::repository_line(name, repository));
        }
        Ok(Report::new(outcome, data)
            .card(card)
            .next("add a task", format!("drover task add -p {name} \"<title>\"")))
    }
}
