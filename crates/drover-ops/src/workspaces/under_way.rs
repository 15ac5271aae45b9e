//! A landing under way: what its rows will say is kept until they do, since the branch moves before them.

use std::path::Path;

use drover_core::text::Text;
use drover_host::workspace::git::{self, Oid};
use drover_store::notes::Evidence;
use drover_store::{tasks, workspaces};
use serde::{Deserialize, Serialize};

use super::checks::Brings;
use super::find::Owned;
use super::landed::Subject;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::verify;

/// What is kept of it with the row of the workspace.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    source: String,
    target: String,
    /// Where the target was.
    from: String,
    commit: String,
    /// The uids of the tasks that it brings in.
    tasks: Vec<String>,
    checks: Vec<Check>,
}

/// A command that passed on the merged tree.
#[derive(Debug, Serialize, Deserialize)]
struct Check {
    text: Option<String>,
    command: Option<String>,
    chosen_by: Option<String>,
    exit: Option<i64>,
    duration_ms: Option<i64>,
    log_digest: Option<String>,
    log_path: Option<String>,
}

/// A landing that was cut off after its target had moved.
pub(super) struct UnderWay {
    pub(super) source: Oid,
    pub(super) target: String,
    pub(super) from: Oid,
    pub(super) commit: Oid,
    pub(super) brings: Brings,
    pub(super) checks: Vec<Evidence>,
}

/// Keeps what a landing is about to record, before its target moves.
pub(super) fn keep(
    ctx: &mut Ctx,
    subject: &Subject<'_>,
    (from, commit): (&Oid, &Oid),
    (brings, checks): (&Brings, &[Evidence]),
) -> Result<()> {
    let checks = checks.iter().map(|it| Check {
        text: it.text.as_ref().map(|it| it.as_str().to_owned()),
        command: it.command.clone(),
        chosen_by: it.chosen_by.clone(),
        exit: it.exit,
        duration_ms: it.duration_ms,
        log_digest: it.log_digest.clone(),
        log_path: it.log_path.clone(),
    });
    let kept = serde_json::json!(Kept {
        source: subject.source.to_string(),
        target: subject.target.to_owned(),
        from: from.to_string(),
        commit: commit.to_string(),
        tasks: brings.tasks.iter().map(|it| it.uid.clone()).collect(),
        checks: checks.collect(),
    });
    let pk = subject.owned.row.pk;
    ctx.step("workspace.land", |tx| Ok(workspaces::set_landing(tx, pk, &kept.to_string())?))
}

/// The landing that an earlier call has kept, if its target holds it by now.
///
/// Only asked with the lock on landings held, so that it is not one that another call is at.
pub(super) fn moved(ctx: &Ctx, owned: &Owned, repository: &Path) -> Result<Option<UnderWay>> {
    let row = workspaces::by_pk(&ctx.read(), owned.row.pk)?;
    let landing = row.and_then(|it| it.landing);
    let kept = landing.as_deref().and_then(|it| serde_json::from_str::<Kept>(it).ok());
    let Some(kept) = kept else { return Ok(None) };
    let oids = (Oid::parse(&kept.source), Oid::parse(&kept.from), Oid::parse(&kept.commit));
    let (Some(source), Some(from), Some(commit)) = oids else { return Ok(None) };
    let Some(tip) = git::branch_tip(repository, &kept.target)? else { return Ok(None) };
    if !git::is_ancestor(repository, &commit, &tip)? {
        return Ok(None);
    }
    let tree = git::tree_of(repository, &commit)?;
    let checks = kept.checks.into_iter().map(|it| Evidence {
        text: it.text.as_deref().map(Text::new),
        command: it.command,
        chosen_by: it.chosen_by,
        exit: it.exit,
        duration_ms: it.duration_ms,
        log_digest: it.log_digest,
        log_path: it.log_path,
        ..verify::on(&commit, &tree, false)
    });
    let checks = checks.collect();
    let mut tasks = Vec::new();
    for uid in &kept.tasks {
        tasks.extend(tasks::by_uid(&ctx.read(), uid)?);
    }
    let brings = Brings { tasks, checks: Vec::new() };
    Ok(Some(UnderWay { source, target: kept.target, from, commit, brings, checks }))
}
