//! A project's repository as text.

use drover_ops::rows::Repository;
use drover_ops::workspaces::{Kind, trunk};

use crate::output::visible;

/// Where a project's agents work from, and where their work lands.
pub(super) fn repository_line(project: &str, repository: &Repository) -> String {
    let kind = &repository.kind;
    if *kind == Kind::Copy.word() {
        return format!(
            "Each agent gets a copy of {}; what it changes is brought back by hand\n",
            visible(&repository.path)
        );
    }
    let branch = repository.base_branch.as_deref().unwrap_or("a detached commit");
    format!(
        "Repository ({kind}): {} from {} at {}\nWork lands on: {}\n",
        visible(&repository.path),
        visible(branch),
        repository.base_sha,
        trunk(project)
    )
}
