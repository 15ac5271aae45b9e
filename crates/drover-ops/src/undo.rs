//! `undo`: the groups that can be taken back, what that would do, and doing it.

use drover_store::log::{self, Group};
use drover_store::projects;
use drover_store::undo::{self, Conflict, Undone};

use crate::ctx::Ctx;
use crate::error::{LogError, OpError, Result, Superseded};
use crate::log::{Item, group, past_project, taken_back};
use crate::projects::with_trunk;
use crate::roles::{self, Caller, Within};
use crate::words;

/// A group, and whether it is taken back at present.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The group.
    pub group: Group,
    /// The undo that took it back.
    pub undone_by: Option<String>,
}

/// The newest groups that touched portable rows of the project that is meant, else of all.
pub fn list(ctx: &Ctx, count: usize) -> Result<Vec<Listed>> {
    let project = past_project(ctx)?;
    let tx = ctx.read();
    let groups = log::recent_groups(&tx, project.as_deref(), count)?;
    let listed = groups.into_iter().map(|group| {
        let undone_by = undo::undone_by(&tx, &group.id)?;
        Ok(Listed { group, undone_by })
    });
    listed.collect()
}

/// Whether to show or to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Show what would be done.
    Preview,
    /// Do it.
    Apply,
}

/// What taking back a group does, did, or would do.
#[derive(Debug, Clone)]
pub struct TakenBack {
    /// The group.
    pub group: Group,
    /// The undo that took it back before; then nothing was done.
    pub undone_by: Option<String>,
    /// Each reversed change in words, the newest first.
    pub changes: Vec<Item>,
    /// Changes of this machine's own rows, each with the command that reverses it where there is one.
    pub local: Vec<(Item, Option<String>)>,
    /// What stands in the way; only a preview has any.
    pub conflicts: Vec<Superseded>,
    /// The group of this undo, which can be taken back in turn; none for a preview.
    pub undo_group: Option<String>,
}

/// Takes back a group (id or unique beginning of it), or shows what that would do.
pub fn undo(ctx: &mut Ctx, text: &str, mode: Mode) -> Result<TakenBack> {
    let id = group(ctx, text)?;
    let unknown = || LogError::UnknownGroup { given: text.to_owned() };
    let summary = log::group(&ctx.read(), &id)?.ok_or_else(unknown)?;
    if let Some(caller) = Caller::of(ctx) {
        let is_own = is_all_own(ctx, &caller, &summary)?;
        let what = format!("{} did this", summary.actor);
        caller.keep(&ctx.read(), (Within::OwnChanges, is_own), &what)?;
    }
    if let Some(by) = undo::undone_by(&ctx.read(), &id)? {
        return Ok(already(summary, by));
    }
    refuse_branches(ctx, &id)?;
    let undone = match mode {
        Mode::Preview => preview(ctx, &id)?,
        Mode::Apply => apply(ctx, &id)?,
    };
    let undo_group = (mode == Mode::Apply).then(|| ctx.group().to_owned());
    let conflicts = name_conflicts(ctx, undone.conflicts)?;
    let changes = taken_back(ctx.read(), undone.reversed)?;
    let local = local(ctx, undone.local)?;
    Ok(TakenBack { group: summary, undone_by: None, changes, local, conflicts, undo_group })
}

/// Whether the caller made every change of a group, in its own project; that it was refused something stays.
fn is_all_own(ctx: &Ctx, caller: &Caller, group: &Group) -> Result<bool> {
    let project = projects::by_pk(&ctx.read(), caller.agent.project_pk)?.map(|it| it.uid);
    let filter = log::Filter { group: Some(group.id.clone()), ..log::Filter::default() };
    let ops = log::read(&ctx.read(), &filter)?;
    let is_own = |it: &log::Op| {
        it.actor == caller.agent.name
            && it.at >= caller.agent.created_at
            && it.project == project
            && it.intent != roles::RECORD
    };
    Ok(ops.iter().all(is_own))
}

fn already(group: Group, by: String) -> TakenBack {
    TakenBack {
        group,
        undone_by: Some(by),
        changes: Vec::new(),
        local: Vec::new(),
        conflicts: Vec::new(),
        undo_group: None,
    }
}

fn preview(ctx: &mut Ctx, id: &str) -> Result<Undone> {
    let undone = ctx.write(&undo::intent(id), |tx| Ok(undo::reverse(tx, id)?))?;
    ctx.rollback();
    refuse_local_only(ctx, id, &undone)?;
    Ok(undone)
}

fn apply(ctx: &mut Ctx, id: &str) -> Result<Undone> {
    let undone = ctx.write(&undo::intent(id), |tx| Ok(undo::reverse(tx, id)?))?;
    if !undone.conflicts.is_empty() {
        ctx.rollback();
        let conflicts = name_conflicts(ctx, undone.conflicts)?;
        return Err(LogError::Superseded { group: id.to_owned(), conflicts }.into());
    }
    refuse_local_only(ctx, id, &undone)?;
    Ok(undone)
}

fn refuse_local_only(ctx: &mut Ctx, id: &str, undone: &Undone) -> Result<()> {
    if !undone.reversed.is_empty() || !undone.conflicts.is_empty() {
        return Ok(());
    }
    ctx.rollback();
    let changes = local(ctx, undone.local.clone())?;
    let changes = changes.into_iter().map(|(item, command)| (item.words, command)).collect();
    Err(OpError::from(LogError::LocalOnly { group: id.to_owned(), changes }))
}

/// The name of a project with a repository is that of a branch too, which only its own verb renames.
fn refuse_branches(ctx: &Ctx, id: &str) -> Result<()> {
    let mut changes = Vec::new();
    for op in log::of_group(&ctx.read(), id)?.into_iter().filter(|it| it.entity == "project") {
        let field = |row: &Option<String>, key: &str| {
            let row: serde_json::Value = serde_json::from_str(row.as_deref()?).ok()?;
            Some(row.get(key)?.as_str()?.to_owned())
        };
        let (Some(old), Some(new)) = (field(&op.old, "name"), field(&op.new, "name")) else {
            continue;
        };
        let project = projects::by_uid(&ctx.read(), &op.uid)?;
        let repository = project.map(|it| with_trunk(&ctx.read(), it.pk)).transpose()?;
        if repository.flatten().is_some() {
            let command = match field(&op.new, "state") {
                Some(_) => format!("drover project archive {new}"),
                None => format!("drover project rename {new} {old}"),
            };
            let words = taken_back(ctx.read(), vec![op])?.into_iter().map(|it| it.words).collect();
            changes.push((words, Some(command)));
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    Err(LogError::LocalOnly { group: id.to_owned(), changes }.into())
}

fn name_conflicts(ctx: &Ctx, conflicts: Vec<Conflict>) -> Result<Vec<Superseded>> {
    let mut named = Vec::with_capacity(conflicts.len());
    for conflict in conflicts {
        let ops = log::read(
            &ctx.read(),
            &log::Filter {
                entities: vec![conflict.entity.clone()],
                uid: Some(conflict.uid.clone()),
                limit: Some(1),
                ..log::Filter::default()
            },
        )?;
        let item = taken_back(ctx.read(), ops)?.into_iter().next();
        named.push(Superseded {
            subject: item.map_or_else(|| conflict.uid.clone(), |it| it.subject),
            entity: conflict.entity,
            what: conflict.what,
            fields: conflict.fields,
            group: conflict.group,
            actor: conflict.actor,
        });
    }
    Ok(named)
}

fn local(ctx: &Ctx, ops: Vec<log::Op>) -> Result<Vec<(Item, Option<String>)>> {
    let items = taken_back(ctx.read(), ops)?;
    Ok(items
        .into_iter()
        .map(|it| (reversing(&it), it))
        .map(|(command, it)| (it, command))
        .collect())
}

/// The command that reverses a change of one of this machine's own rows.
fn reversing(item: &Item) -> Option<String> {
    let project = item.project.as_deref()?;
    let reference = words::quote(&format!("{project}/{}", item.subject));
    item.op.new.as_ref()?;
    match item.op.entity.as_str() {
        "agent" => Some(format!("drover agent close {reference}")),
        "workspace" => Some(format!("drover workspace free {reference}")),
        "message" => Some(format!("drover agent queue {reference}")),
        "delegate" => {
            Some(format!("drover agent delegate --cancel {}", words::quote(&item.subject)))
        }
        "project_repo" | "project_place" => Some(format!("drover project teardown {project}")),
        "command_trust" => {
            let row: serde_json::Value = serde_json::from_str(item.op.new.as_deref()?).ok()?;
            let digest: String = row.get("digest")?.as_str()?.chars().take(12).collect();
            Some(format!("drover project trust -p {project} --revoke {digest}"))
        }
        _ => None,
    }
}
