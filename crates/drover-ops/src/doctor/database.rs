//! The database: whether it is whole, and rows whose counterpart outside is gone.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use drover_core::agent::Lifecycle;
use drover_host::proc;
use drover_host::state_dir::Folder;
use drover_store::{SCHEMA_VERSION, agents, check, keys, projects, workspaces};

use super::check::{Check, or_failure};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};
use crate::words::quote;

const SECTION: &str = "database";

/// Every check of the rows; one that cannot be made is a failure of its own.
pub(super) fn checks(ctx: &Ctx) -> Vec<Check> {
    let mut found = or_failure(SECTION, "file", sizes(ctx));
    found.extend(or_failure(SECTION, "defects", defects(ctx)));
    found.extend(or_failure("calls", "keys", cut_off_calls(ctx)));
    found.extend(or_failure("agents", "launches", late_launches(ctx)));
    found.extend(or_failure("workspaces", "rows", lost_checkouts(ctx)));
    found.extend(or_failure("workspaces", "directories", stray_directories(ctx)));
    found
}

fn sizes(ctx: &Ctx) -> Result<Vec<Check>> {
    let sizes = check::sizes(&ctx.read())?;
    let handling = check::handling(&ctx.read())?;
    let references = if handling.holds_references { "held" } else { "not held" };
    Ok(vec![
        Check::fine(SECTION, "file", ctx.store().file().display().to_string()),
        Check::fine(
            SECTION,
            "schema",
            format!("version {SCHEMA_VERSION}, {} bytes", sizes.schema_bytes),
        ),
        Check::fine(
            SECTION,
            "handling",
            format!("journal {}, references {references}", handling.journal),
        ),
        Check::fine(
            SECTION,
            "size",
            format!("{} bytes, {} changes in the log", sizes.bytes, sizes.ops),
        ),
    ])
}

fn defects(ctx: &Ctx) -> Result<Vec<Check>> {
    let mut defects = check::defects(&ctx.read())?;
    // A dry run's own transaction is open still, and its writer with it.
    defects.retain(|it| it.check != "writer" || !ctx.store().is_writing());
    if defects.is_empty() {
        return Ok(vec![Check::fine(SECTION, "checks", "rows, references, counts and log agree")]);
    }
    let copy = "drover db backup <file>";
    Ok(defects
        .into_iter()
        .map(|it| Check::failure(SECTION, it.check, it.detail).fix(copy))
        .collect())
}

fn cut_off_calls(ctx: &Ctx) -> Result<Vec<Check>> {
    let pending = keys::pending(&ctx.read())?.into_iter().filter(|it| {
        let pid = u32::try_from(it.pid).unwrap_or(0);
        !proc::is_alive(&proc::Identity { pid, start: it.pid_started.clone() })
    });
    Ok(pending
        .map(|it| {
            let detail =
                format!("{} of {} was cut off; repeat it with the same key", it.verb, it.at);
            Check::warning("calls", format!("key {}", it.key), detail)
        })
        .collect())
}

fn late_launches(ctx: &Ctx) -> Result<Vec<Check>> {
    let (tx, now) = (ctx.read(), drover_store::time_text(ctx.now()));
    let mut found = Vec::new();
    for agent in agents::live(&tx)? {
        let is_late = agent.deadline_at.as_deref().is_some_and(|it| it < now.as_str());
        if agent.lifecycle != Lifecycle::Launching || !is_late {
            continue;
        }
        let project =
            projects::by_pk(&tx, agent.project_pk)?.map_or_else(String::new, |it| it.name);
        let detail = format!("its launch of {} is past its deadline", agent.lifecycle_at);
        let name = format!("{project}/{}", agent.name);
        found.push(
            Check::warning("agents", name.clone(), detail)
                .fix(format!("drover agent close {}", quote(&name))),
        );
    }
    Ok(found)
}

/// Rows without a directory, and rows that were left half-way.
fn lost_checkouts(ctx: &Ctx) -> Result<Vec<Check>> {
    let tx = ctx.read();
    let mut found = Vec::new();
    for workspace in workspaces::all(&tx)? {
        let is_missing = !Path::new(&workspace.path).is_dir();
        let problem = match workspace.state.as_str() {
            "ready" if is_missing => "its directory is gone",
            "creating" => "it was not finished",
            "removing" => "its removal was not finished",
            _ => continue,
        };
        let agent = agents::by_pk(&tx, workspace.agent_pk)?;
        let project = projects::by_pk(&tx, workspace.project_pk)?;
        let (Some(agent), Some(project)) = (agent, project) else { continue };
        let name = format!("{}/{}", project.name, agent.name);
        let detail = format!("{}: {problem}", workspace.path);
        found.push(
            Check::warning("workspaces", name.clone(), detail)
                .fix(format!("drover workspace free {}", quote(&name))),
        );
    }
    Ok(found)
}

/// Directories where checkouts stand, `<project>/<agent>`, that no row knows.
fn stray_directories(ctx: &Ctx) -> Result<Vec<Check>> {
    let known: HashSet<PathBuf> =
        workspaces::all(&ctx.read())?.into_iter().map(|it| PathBuf::from(it.path)).collect();
    let mut found = Vec::new();
    for project in directories(&ctx.state_path().join(Folder::Workspaces.name()))? {
        for checkout in directories(&project)? {
            if !known.contains(&checkout) {
                let shown = checkout.display().to_string();
                found.push(
                    Check::warning("workspaces", shown, "no agent's workspace")
                        .fix("drover workspace orphans"),
                );
            }
        }
    }
    Ok(found)
}

pub(super) fn directories(path: &Path) -> Result<Vec<PathBuf>> {
    let listed = match std::fs::read_dir(path) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(at_file(path))?,
    };
    let mut found = Vec::new();
    for entry in listed {
        let path = entry.map_err(at_file(path))?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
