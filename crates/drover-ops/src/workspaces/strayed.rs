//! Changes in the first checkout while an agent was at work, which should have touched its own alone.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drover_host::workspace::{Kind, git};
use drover_store::projects::{self, Project};
use drover_store::tasks::Task;
use drover_store::{agents, log, workspaces};
use jiff::Timestamp;

use super::place::shown;
use crate::ctx::Ctx;
use crate::error::Result;

/// How many files a warning names.
const NAMED: usize = 5;

/// Warns where the first checkout was changed since the agent of a task took it.
///
/// Who did it cannot be told: the person may have worked there, too. What cannot be looked at is no
/// reason to refuse what was asked for.
pub(crate) fn tell_of_strays(ctx: &mut Ctx, project: &Project, task: &Task) -> Result<()> {
    let Some((agent, own, since)) = at_work(ctx, task)? else { return Ok(()) };
    let Some(repository) = projects::repository(&ctx.read(), project.pk)? else { return Ok(()) };
    let first = PathBuf::from(&repository.path);
    if repository.kind == Kind::Copy.word() || !first.join(".git").exists() {
        return Ok(());
    }
    let mut found = changed_since(&first, since);
    let left_out = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    if left_out > 0 {
        found.push(format!("{left_out} more"));
    }
    if git::head_moved_at(&first).ok().flatten().is_some_and(|it| it >= since.as_second()) {
        found.push("what is checked out".to_owned());
    }
    if !found.is_empty() {
        ctx.warn(format!(
            "while {agent} worked on {}, the first checkout {} was changed: {}; the place of {agent} is {own}",
            task.id,
            shown(&first),
            found.join(", ")
        ));
    }
    Ok(())
}

/// The agent that has or had a task, its own checkout, and when it took the task.
fn at_work(ctx: &Ctx, task: &Task) -> Result<Option<(String, String, Timestamp)>> {
    let tx = ctx.read();
    let Some(uid) = &task.claimed_uid else { return Ok(None) };
    let Some(agent) = agents::by_uid(&tx, uid)? else { return Ok(None) };
    let Some(row) = workspaces::of_agent(&tx, agent.pk)? else { return Ok(None) };
    let claim = log::last_claim(&tx, &task.uid)?;
    let since = claim.and_then(|it| it.at.parse().ok());
    Ok(since.map(|since| (agent.name, row.path, since)))
}

/// The files of a checkout that are not as its commit has them and were written since then.
fn changed_since(checkout: &Path, since: Timestamp) -> Vec<String> {
    let Ok(status) = git::status(checkout) else { return Vec::new() };
    let is_newer = |it: &&Path| {
        let at = checkout.join(it).symlink_metadata().map(|it| (it.ctime(), it.ctime_nsec()));
        at.is_ok_and(|(second, nano)| {
            let nano = i32::try_from(nano).unwrap_or_default();
            Timestamp::new(second, nano).is_ok_and(|it| it >= since)
        })
    };
    let mut found: Vec<String> = status.changed().filter(is_newer).map(shown).collect();
    found.sort();
    found.dedup();
    found
}
