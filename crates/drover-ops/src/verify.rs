//! Running a verify command on a checkout, and what that shows.

use std::path::Path;
use std::time::Duration;

use drover_core::text::Text;
use drover_host::process::{Command, Exit};
use drover_host::workspace;
use drover_host::workspace::git::Oid;
use drover_store::notes::Evidence;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::logged;

/// Runs a verify command in a checkout, and says what it showed on which commit.
///
/// The evidence is `verified` or `failed`, not yet written, and names no verb. The whole pipeline
/// counts; a signal, or time that is up, has failed.
pub(crate) fn run(
    ctx: &Ctx,
    directory: &Path,
    command: &str,
    chosen_by: &str,
    timeout: Duration,
) -> Result<Evidence> {
    let ground = ground(directory)?;
    let environment = ctx.env().for_agent(&[]);
    let words = ["-o", "pipefail", "-c", command];
    let program = Command::new("bash", directory).environment(environment).args(words);
    let ran = logged::run(program, timeout, logged::new_log(ctx, "verify")?)?;
    let (exit, signal) = match ran.status {
        Some(Exit::Code(code)) => (Some(i64::from(code)), None),
        Some(Exit::Signal(signal)) => (None, Some(i64::from(signal))),
        None => (None, None),
    };
    let text = (!ran.is_success()).then(|| Text::new(&ran.how()));
    Ok(Evidence {
        kind: if ran.is_success() { "verified" } else { "failed" }.to_owned(),
        text,
        command: Some(Text::new(command).into_string()),
        chosen_by: Some(chosen_by.to_owned()),
        exit,
        signal,
        duration_ms: i64::try_from(ran.duration.as_millis()).ok(),
        log_digest: Some(ran.digest),
        log_path: Some(ran.log.display().to_string()),
        said_by: ctx.actor().word(),
        ..ground
    })
}

/// What a command runs on; outside a repository there is no commit to speak of.
fn ground(directory: &Path) -> Result<Evidence> {
    let found = workspace::ground(directory)?;
    Ok(found.map_or_else(Evidence::default, |it| on(&it.head, &it.tree, !it.is_clean)))
}

/// Evidence that speaks of a commit and its tree.
pub(crate) fn on(commit: &Oid, tree: &Oid, dirty: bool) -> Evidence {
    Evidence {
        commit_oid: Some(commit.to_string()),
        tree_oid: Some(tree.to_string()),
        dirty: Some(dirty),
        ..Evidence::default()
    }
}
