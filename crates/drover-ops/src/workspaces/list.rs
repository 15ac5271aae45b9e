//! `workspace list`: what each workspace holds, how far it is from the others, and what would conflict.

use std::path::{Path, PathBuf};

use drover_host::files::{self, Size};
use drover_host::workspace::Kind;
use drover_host::workspace::git::{self, Distance, Oid};
use drover_store::projects;
use drover_store::projects::Project;

use super::find::{Owned, owned};
use super::look::{Look, Presence, Stays, look, unlanded};
use super::place::{shown, trunk};
use super::stale::{Staleness, lines, most_behind};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};
use crate::resolve;
use crate::roles;

/// A workspace as it is now.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The project.
    pub project: String,
    /// Whose it is.
    pub agent: String,
    /// Where it is, or was.
    pub path: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// Its branch.
    pub branch: String,
    /// `creating`, `ready`, `removing` or `branch_only`.
    pub state: String,
    /// `checkout`, `missing` or `stranger`: what is at its place.
    pub presence: &'static str,
    /// The commit it starts from.
    pub base: String,
    /// Where its branch is; none when it is gone.
    pub head: Option<String>,
    /// The branch that is checked out; none when detached or without a checkout.
    pub on_branch: Option<String>,
    /// How far it is from the integration branch.
    pub from_trunk: Option<Distance>,
    /// How far it is from the branch that the project was made on.
    pub from_base_branch: Option<Distance>,
    /// How many commits it lacks of the branch that it lacks most of.
    pub behind: Option<Staleness>,
    /// How much room its files take; none where that was not asked for, or it has none.
    pub disk: Option<Size>,
    /// Paths that are not as its commit has them.
    pub dirty: Vec<String>,
    /// Commits that no ref which stays can reach.
    pub unlanded: usize,
    /// A merge, rebase or the like that was begun and not finished.
    pub operation: Option<String>,
    /// What it would conflict with now.
    pub conflicts: Vec<Forecast>,
    /// Stashes made on its branch.
    pub stashes: Vec<String>,
}

/// A conflict that would come up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The other branch.
    pub with: String,
    /// The paths.
    pub files: Vec<String>,
}

/// What to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct List {
    /// Of every project.
    pub all: bool,
    /// Count the room that the files take.
    pub disk: bool,
}

/// The workspaces of the project that is meant, or of all.
pub fn list(ctx: &Ctx, asked: List) -> Result<Vec<Listed>> {
    let all = asked.all;
    if all {
        roles::every_project(ctx)?;
    }
    let projects = if all { projects::list(&ctx.read())? } else { vec![resolve::project(ctx)?] };
    let mut listed = Vec::new();
    for project in projects {
        listed.extend(of_project(ctx, &project)?);
    }
    for it in listed.iter_mut().filter(|it| asked.disk && it.presence != "missing") {
        let path = Path::new(&it.path);
        it.disk = Some(files::directory_size(path).map_err(at_file(path))?);
    }
    Ok(listed)
}

/// A workspace with its end, while its project's list is made.
struct Entry {
    listed: Listed,
    source: PathBuf,
    tip: Option<Oid>,
}

fn of_project(ctx: &Ctx, project: &Project) -> Result<Vec<Listed>> {
    let repository = projects::repository(&ctx.read(), project.pk)?;
    let base_branch = repository.as_ref().and_then(|it| it.base_branch.as_deref());
    let mut entries = Vec::new();
    for owned in owned(&ctx.read(), project)? {
        let mut entry = entry(&owned, base_branch)?;
        if let (Some(tip), Some(repository)) = (&entry.tip, &repository) {
            let most = most_behind(&entry.source, tip, &lines(project, repository)?)?;
            let agent = owned.agent.clone();
            entry.listed.behind = most.map(|(behind, of)| Staleness { agent, behind, of });
        }
        entries.push(entry);
    }
    forecast_among(&mut entries)?;
    Ok(entries.into_iter().map(|it| it.listed).collect())
}

fn entry(owned: &Owned, base_branch: Option<&str>) -> Result<Entry> {
    let look = look(owned)?;
    let source = owned.source();
    let tip = look.tip.clone();
    let trunk = trunk(&owned.project.name);
    let commits = unlanded(owned, &look, Stays::TrunkOnly)?.len();
    let mut listed = Listed {
        project: owned.project.name.clone(),
        agent: owned.agent.clone(),
        path: owned.row.path.clone(),
        kind: owned.row.kind.clone(),
        created_at: owned.row.created_at.clone(),
        branch: owned.row.branch.clone(),
        state: owned.row.state.clone(),
        presence: presence(&look),
        base: owned.row.base_sha.clone(),
        head: tip.as_ref().map(ToString::to_string),
        on_branch: look.status().and_then(|it| it.branch.clone()),
        from_trunk: None,
        from_base_branch: None,
        behind: None,
        disk: None,
        dirty: dirty(&look),
        unlanded: commits,
        operation: look.status().and_then(|it| it.operation).map(|it| it.to_string()),
        conflicts: Vec::new(),
        stashes: Vec::new(),
    };
    let Some(tip) = tip else { return Ok(Entry { listed, source, tip: None }) };
    if owned.row.kind == Kind::Git.word() {
        listed.stashes = git::stashes(&source, &listed.branch)?;
    }
    for branch in [Some(trunk.as_str()), base_branch].into_iter().flatten() {
        let Some(other) = git::branch_tip(&source, branch)? else { continue };
        let distance = git::ahead_behind(&source, &tip, &other)?;
        if distance.ahead > 0 && distance.behind > 0 {
            listed.conflicts.extend(forecast(&source, branch, (&tip, &other))?);
        }
        if branch == trunk {
            listed.from_trunk = Some(distance);
        } else {
            listed.from_base_branch = Some(distance);
        }
    }
    Ok(Entry { listed, source, tip: Some(tip) })
}

fn presence(look: &Look) -> &'static str {
    match look.presence {
        Presence::Checkout(_) => "checkout",
        Presence::Missing => "missing",
        Presence::Stranger => "stranger",
    }
}

fn dirty(look: &Look) -> Vec<String> {
    let mut paths: Vec<String> =
        look.status().into_iter().flat_map(|it| it.changed().map(shown)).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn forecast(
    source: &std::path::Path,
    with: &str,
    (ours, theirs): (&Oid, &Oid),
) -> Result<Option<Forecast>> {
    let files = git::conflicts(source, ours, theirs)?;
    let files: Vec<String> = files.iter().map(|it| shown(it)).collect();
    Ok((!files.is_empty()).then(|| Forecast { with: with.to_owned(), files }))
}

/// Adds what live branches of one project would make of each other.
fn forecast_among(entries: &mut [Entry]) -> Result<()> {
    let mut rest = entries;
    while let Some((one, others)) = rest.split_first_mut() {
        for other in others.iter_mut() {
            if one.listed.unlanded == 0 || other.listed.unlanded == 0 || one.source != other.source
            {
                continue;
            }
            let (Some(ours), Some(theirs)) = (&one.tip, &other.tip) else { continue };
            let Some(found) = forecast(&one.source, &other.listed.branch, (ours, theirs))? else {
                continue;
            };
            let with = one.listed.branch.clone();
            other.listed.conflicts.push(Forecast { with, files: found.files.clone() });
            one.listed.conflicts.push(found);
        }
        rest = others;
    }
    Ok(())
}
