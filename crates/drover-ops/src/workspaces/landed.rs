//! What a landing leaves in the database, and what it lets go.

use std::path::Path;

use drover_core::text::Text;
use drover_host::workspace::git::{self, Oid, Undone};
use drover_store::notes::{self, Evidence};
use drover_store::{WriteTx, workspaces};

use super::checks::Brings;
use super::find::Owned;
use super::place::{recorded, shown};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::verify;

/// What a try came to.
pub(super) enum Outcome {
    /// The target holds the work already.
    Repeat { at: Oid },
    /// A dry run.
    Preview { brings: Brings },
    /// The target was moved to this commit.
    New { commit: Oid, brings: Brings, checks: Vec<Evidence>, undone: Vec<Undone> },
}

/// What is landed, as far as the rows speak of it.
pub(super) struct Subject<'a> {
    pub(super) owned: &'a Owned,
    pub(super) source: &'a Oid,
    pub(super) target: &'a str,
    pub(super) repository: &'a Path,
}

/// Writes the rows of a landing that stands.
pub(super) fn record(ctx: &mut Ctx, subject: &Subject<'_>, outcome: &Outcome) -> Result<()> {
    let row = &subject.owned.row;
    let is_known = row.landed_sha.as_deref() == Some(subject.source.as_str());
    let (brings, evidence) = match outcome {
        Outcome::Preview { .. } => return Ok(()),
        Outcome::Repeat { .. } if is_known => return Ok(()),
        Outcome::Repeat { at } => (None, vec![found_landed(ctx, subject, at)?]),
        Outcome::New { commit, brings, checks, .. } => {
            let tree = git::tree_of(subject.repository, commit)?;
            let bare =
                Evidence { text: Some(unverified(subject)), ..verify::on(commit, &tree, false) };
            let evidence = if checks.is_empty() { vec![bare] } else { checks.clone() };
            (Some(brings), evidence)
        }
    };
    let said_by = ctx.actor().word();
    let evidence: Vec<Evidence> = evidence
        .into_iter()
        .map(|it| Evidence {
            kind: "landed".to_owned(),
            verb: "land".to_owned(),
            said_by: said_by.clone(),
            ..it
        })
        .collect();
    ctx.step("workspace.land", |tx| {
        workspaces::set_landed(tx, row.pk, subject.source.as_str())?;
        insert(tx, subject.owned, brings, &evidence)
    })
}

/// Writes that a command failed on the merged tree.
pub(super) fn record_failure(
    ctx: &mut Ctx,
    owned: &Owned,
    brings: &Brings,
    evidence: &Evidence,
) -> Result<()> {
    ctx.step("workspace.land", |tx| insert(tx, owned, Some(brings), std::slice::from_ref(evidence)))
}

/// Evidence for each task: of its own command where that ran, else all there is.
fn insert(
    tx: &WriteTx<'_>,
    owned: &Owned,
    brings: Option<&Brings>,
    evidence: &[Evidence],
) -> Result<()> {
    let tasks = brings.map_or(&[][..], |it| &it.tasks);
    if tasks.is_empty() {
        for evidence in evidence {
            notes::insert_delivery_evidence(tx, owned.project.pk, &owned.row.uid, evidence)?;
        }
    }
    for task in tasks {
        let is_own = |it: &&Evidence| it.command.is_some() && it.command == task.verify;
        let own: Vec<&Evidence> = evidence.iter().filter(is_own).collect();
        let chosen = if own.is_empty() { evidence.iter().collect() } else { own };
        for evidence in chosen {
            notes::insert_evidence(tx, owned.project.pk, &task.uid, evidence)?;
        }
    }
    Ok(())
}

fn unverified(subject: &Subject<'_>) -> Text {
    Text::new(&format!("onto {}, unverified", subject.target))
}

/// A landing whose rows were lost to a crash, or that somebody else made with git.
fn found_landed(ctx: &Ctx, subject: &Subject<'_>, at: &Oid) -> Result<Evidence> {
    let tree = git::tree_of(subject.repository, at)?;
    let text = format!("found on {}", subject.target);
    let said_by = ctx.actor().word();
    Ok(Evidence { text: Some(Text::new(&text)), said_by, ..verify::on(at, &tree, false) })
}

/// Lines newer than the work that its merge takes away; each file is warned of.
///
/// Newer than the work is what came after the base, or after the last landing where that is later:
/// what an agent landed itself it may take away again.
pub(super) fn undone(
    ctx: &mut Ctx,
    subject: &Subject<'_>,
    target: &Oid,
    merged: &Oid,
) -> Result<Vec<Undone>> {
    let (row, repository) = (&subject.owned.row, subject.repository);
    let mut base = recorded(&row.base_sha, repository)?;
    if let Some(landed) = row.landed_sha.as_deref().and_then(Oid::parse)
        && git::is_ancestor(repository, &base, &landed)?
    {
        base = landed;
    }
    // A target that never held the base tells what is newer only from where the two parted.
    if !git::is_ancestor(repository, &base, target)? {
        let Some(parted) = git::merge_base(repository, &base, target)? else {
            return Ok(Vec::new());
        };
        base = parted;
    }
    let undone = git::undone(repository, &base, target, merged)?;
    for it in &undone {
        let path = shown(&it.path);
        ctx.warn(match it.lines {
            0 => format!("puts {path} back to what it was, which is newer than this work"),
            lines => format!("takes away {lines} lines of {path} that are newer than this work"),
        });
    }
    Ok(undone)
}

/// A branch that was kept for landing goes once it has; `true` when it did. Its row goes with the
/// commit of the whole call, since a repeat could not find it any more.
pub(super) fn let_branch_go(ctx: &mut Ctx, subject: &Subject<'_>) -> Result<bool> {
    let owned = subject.owned;
    if !owned.is_branch_only() {
        return Ok(false);
    }
    let (branch, tip) = (&owned.row.branch, subject.source);
    ctx.act(format!("delete the landed branch {branch}"), || {
        Ok(git::delete_branch_cas(subject.repository, branch, tip)?)
    })?;
    ctx.write("workspace.land", |tx| Ok(workspaces::delete(tx, owned.row.pk)?))?;
    Ok(true)
}
