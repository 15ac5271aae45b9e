//! `drover project`.

mod init;
mod list;
mod set;
mod show;
mod teardown;
mod trust;

use clap::Subcommand;
use drover_ops::rows::Repository;
use drover_ops::workspaces::trunk;

use crate::output::visible;
use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectVerb {
    /// Make a project.
    Init(init::Init),
    /// List the projects.
    List(list::List),
    /// Set a policy value.
    Set(set::Set),
    /// Show one project.
    Show(show::Show),
    /// End a project with its agents and rows.
    Teardown(teardown::Teardown),
    /// Let commands from outside run.
    Trust(trust::Trust),
}

impl ProjectVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Init(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Set(it) => Box::new(it),
            Self::Show(it) => Box::new(it),
            Self::Teardown(it) => Box::new(it),
            Self::Trust(it) => Box::new(it),
        }
    }
}

/// Where a project's agents work from, and where their work lands.
fn repository_line(project: &str, repository: &Repository) -> String {
    let branch = repository.base_branch.as_deref().unwrap_or("a detached commit");
    format!(
        "Repository: {} from {} at {}\nWork lands on: {}\n",
        visible(&repository.path),
        visible(branch),
        repository.base_sha,
        trunk(project)
    )
}
