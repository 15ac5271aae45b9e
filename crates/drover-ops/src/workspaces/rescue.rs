//! Keeping what a discarded workspace holds: commits under refs, ignored files in the trash, a row that names both.

use std::path::{Path, PathBuf};

use drover_host::files;
use drover_host::state_dir::Folder;
use drover_host::workspace::git;
use drover_store::workspaces::{self, Rescue};

use super::find::Owned;
use super::look::{Look, Presence, wanted_ignored};
use super::place::{shown, text};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// The rescue that an earlier call made of this workspace before it was cut off.
///
/// It is whole, since its row comes last; what lies in the directory now is what a removal left.
pub(super) fn kept(ctx: &Ctx, owned: &Owned) -> Result<Option<Rescue>> {
    let prefix = prefix(owned);
    let all = workspaces::rescues(&ctx.read())?;
    Ok(all.into_iter().find(|it| {
        let in_trash = it.trash_path.as_ref().is_some_and(|it| it.ends_with(&owned.row.uid));
        it.ref_prefix.as_ref() == Some(&prefix) || in_trash
    }))
}

/// Whether an earlier call that was cut off has moved files to the trash, which no row names yet.
pub(super) fn has_begun(ctx: &Ctx, owned: &Owned) -> Result<bool> {
    Ok(trash(ctx, owned)?.is_dir())
}

/// Keeps all that would be lost, and records where.
pub(super) fn keep(ctx: &mut Ctx, owned: &Owned, look: &Look, verb: &str) -> Result<Rescue> {
    let trash = move_files(ctx, owned, look)?;
    let has_refs = keep_refs(ctx, owned, look)?;
    let head = look.status().and_then(|it| it.head.as_ref()).or(look.tip.as_ref());
    let rescue = Rescue {
        uid: String::new(),
        created_at: String::new(),
        project_uid: owned.project.uid.clone(),
        agent_name: owned.agent.clone(),
        repository: owned.row.source.clone(),
        branch: owned.row.branch.clone(),
        head: head.map_or_else(String::new, ToString::to_string),
        ref_prefix: has_refs.then(|| prefix(owned)),
        trash_path: trash,
        reason: verb.to_owned(),
    };
    ctx.step("workspace.free", |tx| Ok(workspaces::insert_rescue(tx, &rescue)?))?;
    Ok(rescue)
}

/// The files of a rescue lie in a folder that no other workspace ever has.
fn trash(ctx: &Ctx, owned: &Owned) -> Result<PathBuf> {
    Ok(ctx.state().folder(Folder::Trash)?.join(&owned.row.uid))
}

/// The refs of a rescue lie below a name that no other workspace ever has.
fn prefix(owned: &Owned) -> String {
    format!("refs/drover/rescue/{}/{}/{}", owned.project.name, owned.agent, owned.row.uid)
}

/// Moves what git would not keep into the trash, and says where it is.
fn move_files(ctx: &mut Ctx, owned: &Owned, look: &Look) -> Result<Option<String>> {
    let trash = trash(ctx, owned)?;
    let (root, names) = match &look.presence {
        Presence::Missing => (owned.path(), Vec::new()),
        Presence::Stranger => {
            let path = owned.path();
            let parent = path.parent().unwrap_or(Path::new("/")).to_owned();
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            (parent, vec![name])
        }
        Presence::Checkout(status) => {
            let (site, mut names) = (owned.site()?, wanted_ignored(owned, status)?);
            names.extend(site.backend().unkept(&site.place(), status)?);
            (owned.path(), names)
        }
    };
    if names.is_empty() {
        return if trash.is_dir() { text(&trash).map(Some) } else { Ok(None) };
    }
    let what = format!("move {} files to {}", names.len(), shown(&trash));
    ctx.act(what, || {
        for name in &names {
            let from = root.join(name);
            files::move_below(&from, &trash, name).map_err(at_file(&from))?;
        }
        Ok(())
    })?;
    text(&trash).map(Some)
}

fn keep_refs(ctx: &mut Ctx, owned: &Owned, look: &Look) -> Result<bool> {
    let site = owned.site()?;
    if !look.has_repository || look.tips().is_empty() || !site.has_history() {
        return Ok(false);
    }
    let (prefix, source) = (prefix(owned), owned.source());
    let is_checkout = look.status().is_some();
    let tip = look.tip.clone();
    ctx.act(format!("keep it under {prefix} in {}", shown(&source)), || {
        if let Some(tip) = &tip {
            git::rescue_branch(&source, &prefix, tip)?;
        }
        if is_checkout {
            site.backend().rescue(&site.place(), &prefix)?;
        }
        Ok(())
    })?;
    Ok(true)
}
