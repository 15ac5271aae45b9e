//! The ways out when a workspace cannot simply go, the gentlest first: each works as it stands.

use drover_core::name::ProjectName;
use drover_core::workspace::{Loss, LossKind};
use drover_ops::agents::{Observed, Orphan};
use drover_ops::error::Ending;

use crate::output::Next;

/// The ways to make agents of chat agents that have no row.
pub(crate) fn of_orphans(project: &str, orphans: &[Orphan]) -> Vec<Next> {
    let adopt = |it: &Orphan| {
        let run = format!("drover agent adopt {} --name {project}/{}", it.pane.id, it.name);
        next(&format!("make an agent of the {} in {}", it.engine, it.pane.id), run)
    };
    orphans.iter().map(adopt).collect()
}

/// What can be done about agents that have been idle for long: a helper is closed, a worker is told.
pub(crate) fn of_idle(project: &str, agents: &[Observed]) -> Vec<Next> {
    let is_helper = project == ProjectName::scratch().as_str();
    let way = |it: &Observed| {
        let name = &it.agent.name;
        if is_helper {
            let run = format!("drover agent close {project}/{name}");
            return next(&format!("close {name}, which is idle"), run);
        }
        let run = format!("drover agent read {project}/{name}");
        next(&format!("see why {name} is idle with a task"), run)
    };
    agents.iter().filter(|it| it.is_left_idle).map(way).collect()
}

/// The ways to close an agent whose workspace holds work.
pub(crate) fn of_close(project: &str, agent: &str, losses: &[Loss]) -> Vec<Next> {
    out((project, agent), (Ending::Close, false), losses)
}

/// The ways out of a refusal to end a workspace for what it holds, with its branch kept or not.
///
/// What works inside is ended with the agent it belongs to; what is left then, a person must look at.
pub(crate) fn out(
    (project, agent): (&str, &str),
    (by, keeps_branch): (Ending, bool),
    losses: &[Loss],
) -> Vec<Next> {
    let is_held = losses.iter().any(|it| it.kind == LossKind::LiveProcess);
    let work: Vec<&Loss> = losses.iter().filter(|it| it.kind != LossKind::LiveProcess).collect();
    let end = end(project, agent, if is_held { Ending::Close } else { by });
    let mut ways = Vec::new();
    if by == Ending::Close {
        ways.extend(processes(losses));
    }
    if work.is_empty() {
        let flag = if keeps_branch { " --keep-branch" } else { "" };
        ways.push(next("close the agent, which ends its processes", format!("{end}{flag}")));
        return ways;
    }
    ways.extend(rescue_by_hand(project, agent, &work));
    let is_off_its_branch = keeps_branch && has(&work, LossKind::UnlandedCommits);
    if work.iter().all(|it| is_committable(it)) && !is_off_its_branch {
        ways.push(next("keep the branch, let the checkout go", format!("{end} --keep-branch")));
    }
    ways.push(discard(&end));
    ways
}

/// The ways out of a refusal to discard a workspace because something works inside.
pub(crate) fn out_of_held(
    (project, agent): (&str, &str),
    by: Ending,
    losses: &[Loss],
) -> Vec<Next> {
    let mut ways = Vec::new();
    if by == Ending::Close {
        ways.extend(processes(losses));
    }
    ways.push(discard(&end(project, agent, Ending::Close)));
    ways
}

fn end(project: &str, agent: &str, by: Ending) -> String {
    match by {
        Ending::Close => format!("drover agent close {project}/{agent}"),
        Ending::Free => format!("drover workspace free {agent} -p {project}"),
    }
}

fn discard(end: &str) -> Next {
    next("let all of it go, kept as a rescue", format!("{end} --discard --yes"))
}

/// What works inside and is not the agent's.
fn processes(losses: &[Loss]) -> Option<Next> {
    let live = losses.iter().find(|it| it.kind == LossKind::LiveProcess)?;
    let pids: Vec<&str> =
        live.things.iter().filter_map(|it| it.split_whitespace().next()).collect();
    Some(next("see what works there, and end it first", format!("ps -fp {}", pids.join(","))))
}

/// Landing refuses what is not committed, so that comes first.
fn rescue_by_hand(project: &str, agent: &str, work: &[&Loss]) -> Vec<Next> {
    if work.iter().all(|it| it.kind == LossKind::UnlandedCommits) {
        return vec![next("land it", format!("drover workspace land {agent} -p {project}"))];
    }
    let path = format!("\"$(drover workspace path {agent} -p {project})\"");
    let look = if has(work, LossKind::NotACheckout) {
        format!("ls -A {path}")
    } else {
        format!("git -C {path} status")
    };
    let mut ways = vec![next("look at it", look)];
    if work.iter().all(|it| is_committable(it)) {
        let commit = format!("(cd {path} && git add --all && git commit -m \"work of {agent}\")");
        ways.push(next("commit it", commit));
    }
    ways
}

fn has(work: &[&Loss], kind: LossKind) -> bool {
    work.iter().any(|it| it.kind == kind)
}

/// Whether a commit of everything leaves nothing of this but commits; a repository inside stays what it is.
fn is_committable(loss: &Loss) -> bool {
    match loss.kind {
        LossKind::UnlandedCommits | LossKind::Staged | LossKind::Modified => true,
        LossKind::Untracked => !loss.things.iter().any(|it| it.ends_with('/')),
        _ => false,
    }
}

fn next(why: &str, run: String) -> Next {
    Next { why: why.to_owned(), run }
}
