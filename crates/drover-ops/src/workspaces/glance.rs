//! What `state` says of a project's workspaces: a glance that costs little however many there are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use drover_host::workspace::Kind;
use drover_host::workspace::git::{self, Commit, Distance, Oid};
use drover_store::projects::{self, Project};

use super::find::{Owned, owned};
use super::list::Forecast;
use super::orphans::{Orphan, directories_of};
use super::place::{shown, trunk};
use super::stale::{Staleness, lines, most_behind};
use crate::ctx::Ctx;
use crate::error::Result;

/// How many commits of the trunk are told.
const COMMITS: usize = 5;

/// A workspace at a glance.
#[derive(Debug, Clone)]
pub struct Glanced {
    /// Whose it is.
    pub agent: String,
    /// `git`, `jj` or `copy`.
    pub kind: String,
    /// Its branch.
    pub branch: String,
    /// Where it is, or was.
    pub path: String,
    /// Whether its directory is where it should be; a branch that was kept has none.
    pub is_there: bool,
    /// How many commits it has that the integration branch lacks.
    pub ahead: Option<u64>,
    /// How far it is behind.
    pub behind: Option<Staleness>,
    /// The branches that its work would conflict with now.
    pub conflicts: Vec<Forecast>,
}

/// A branch that holds work which the integration branch does not, and the paths it touches.
struct Line {
    at: usize,
    source: PathBuf,
    tip: Oid,
    paths: BTreeSet<PathBuf>,
}

/// The workspaces of a project, and what lies about where its workspaces are.
pub fn glance(ctx: &Ctx, project: &Project) -> Result<(Vec<Glanced>, Vec<Orphan>)> {
    let tx = ctx.read();
    let all = owned(&tx, project)?;
    let mut orphans = directories_of(ctx, &project.name)?;
    let gone = all.iter().filter(|it| !it.is_branch_only() && !it.path().is_dir());
    orphans.extend(gone.map(Orphan::row));
    orphans.sort_by(|one, other| one.name.cmp(&other.name));
    if all.is_empty() {
        return Ok((Vec::new(), orphans));
    }
    let repository = projects::repository(&tx, project.pk)?;
    let against = match &repository {
        Some(it)
            if it.kind != Kind::Copy.word() && git::directories(Path::new(&it.path)).is_ok() =>
        {
            lines(project, it)?
        }
        _ => Vec::new(),
    };
    let mut glanced = Vec::new();
    let mut work = Vec::new();
    for it in &all {
        let mut seen = first(it);
        if !against.is_empty()
            && let Some(tip) = git::branch_tip(&it.source(), &it.row.branch)?
        {
            let line = measure(it, &mut seen, (tip, &against))?;
            work.extend(line.map(|line| Line { at: glanced.len(), ..line }));
        }
        glanced.push(seen);
    }
    forecast(&mut glanced, &work)?;
    Ok((glanced, orphans))
}

fn first(owned: &Owned) -> Glanced {
    Glanced {
        agent: owned.agent.clone(),
        kind: owned.row.kind.clone(),
        branch: owned.row.branch.clone(),
        path: owned.row.path.clone(),
        is_there: !owned.is_branch_only() && owned.path().is_dir(),
        ahead: None,
        behind: None,
        conflicts: Vec::new(),
    }
}

/// How far a branch is from the others; its line if it holds work that is not on the trunk.
fn measure(
    owned: &Owned,
    seen: &mut Glanced,
    (tip, against): (Oid, &[String]),
) -> Result<Option<Line>> {
    let source = owned.source();
    let agent = owned.agent.clone();
    let most = most_behind(&source, &tip, against)?;
    seen.behind = most.map(|(behind, of)| Staleness { agent, behind, of });
    let trunk = trunk(&owned.project.name);
    let Some(trunk_tip) = git::branch_tip(&source, &trunk)? else { return Ok(None) };
    let Distance { ahead, behind } = git::ahead_behind(&source, &tip, &trunk_tip)?;
    seen.ahead = Some(ahead);
    if ahead == 0 {
        return Ok(None);
    }
    if behind > 0 {
        seen.conflicts.extend(conflict(&source, &trunk, (&tip, &trunk_tip))?);
    }
    let from = git::merge_base(&source, &trunk_tip, &tip)?;
    let changes = match &from {
        Some(from) => git::changes(&source, from, Some(&tip))?,
        None => Vec::new(),
    };
    let paths = changes.into_iter().map(|it| it.path).collect();
    Ok(Some(Line { at: 0, source, tip, paths }))
}

/// What the lines of a project would make of each other; only those that touch one path are tried.
fn forecast(glanced: &mut [Glanced], work: &[Line]) -> Result<()> {
    for (number, one) in work.iter().enumerate() {
        for other in work.iter().skip(number + 1) {
            if one.source != other.source || one.paths.is_disjoint(&other.paths) {
                continue;
            }
            let Some(found) = conflict(&one.source, "", (&one.tip, &other.tip))? else { continue };
            for (here, there) in [(one, other), (other, one)] {
                let with = glanced.get(there.at).map(|it| it.branch.clone()).unwrap_or_default();
                if let Some(seen) = glanced.get_mut(here.at) {
                    seen.conflicts.push(Forecast { with, ..found.clone() });
                }
            }
        }
    }
    Ok(())
}

fn conflict(source: &Path, with: &str, (ours, theirs): (&Oid, &Oid)) -> Result<Option<Forecast>> {
    let files: Vec<String> =
        git::conflicts(source, ours, theirs)?.iter().map(|it| shown(it)).collect();
    Ok((!files.is_empty()).then(|| Forecast { with: with.to_owned(), files }))
}

/// What came onto the trunk of a project last, since the project was made, newest first.
///
/// None where the repository or the trunk is gone, which is told elsewhere.
pub fn landed_last(ctx: &Ctx, project: &Project) -> Result<Vec<Commit>> {
    let Some(repository) = projects::repository(&ctx.read(), project.pk)? else {
        return Ok(Vec::new());
    };
    let Some(base) = Oid::parse(&repository.base_sha) else { return Ok(Vec::new()) };
    let (path, trunk) = (Path::new(&repository.path), trunk(&project.name));
    Ok(git::latest(path, (&base, &trunk), COMMITS).unwrap_or_default())
}
