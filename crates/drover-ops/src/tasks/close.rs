//! `task close`: over, one way or another, and what becomes of those that wait for it.

use drover_core::agent::Role;
use drover_core::task::State;
use drover_core::task::close::{Ask, Closing, Decision, Proof, decide};
use drover_core::text::Text;
use drover_store::notes::{self, Evidence};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::workspaces::{self as workspace_rows, Workspace};
use drover_store::{ReadTx, WriteTx, edges};

use super::graph::{check_path, task_in};
use super::shared::{self, open_dependents};
use super::weighing;
use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{OpError, Result, TaskError};
use crate::resolve;
use crate::roles::{Caller, Within};
use crate::workspaces;

/// What becomes of the dependents of a task that is closed without being done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dependents {
    /// They wait on.
    #[default]
    Wait,
    /// They wait for it no longer.
    Release,
    /// They wait for this task instead.
    MoveTo(String),
}

/// What to close and how.
#[derive(Debug, Clone, Default)]
pub struct Close {
    /// The task.
    pub id: String,
    /// The way; done for a task that is not closed when absent.
    pub closing: Option<Closing>,
    /// Why, kept as a note.
    pub why: Option<String>,
    /// What the caller says.
    pub evidence: Option<String>,
    /// The run of its verify command. It counts when it passed and is the task's own command.
    pub verified: Option<Evidence>,
    /// Closes as done although the verify command did not pass; needs `why`.
    pub unverified: bool,
    /// What becomes of its dependents.
    pub dependents: Dependents,
    /// Only when each of its blockers is done.
    pub if_ready: bool,
}

/// What closing came to.
#[derive(Debug, Clone)]
pub struct Closed {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The state it was in.
    pub was: State,
    /// Whether its state changed.
    pub changed: bool,
    /// Dependents that can start now.
    pub unblocked: Vec<String>,
    /// Dependents that wait for it for ever, unless something is done.
    pub left_blocked: Vec<String>,
    /// Dependents that no longer wait for it.
    pub released: Vec<String>,
    /// The task that those wait for instead.
    pub moved_to: Option<String>,
    /// The blockers for which it was left as it is.
    pub blockers: Vec<edges::End>,
    /// The caller's own checkout, where it holds changes that no commit has.
    pub uncommitted: Option<Workspace>,
}

/// The texts of a request, ready to be kept.
struct Words {
    why: Option<Text>,
    evidence: Option<Evidence>,
}

/// Closes a task in one transaction with everything that follows from it.
pub fn close(ctx: &mut Ctx, request: &Close) -> Result<Closed> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    let why = request.why.as_deref().map(|it| shared::prose("reason", it)).transpose()?;
    if let Some(why) = &why {
        ctx.note_redactions(why);
    }
    let words = Words { why, evidence: shared::said(ctx, "close", request.evidence.as_deref())? };
    let (author, caller) = (ctx.actor().word(), Caller::of(ctx));
    let mut is_weak = false;
    let closed = ctx.write("task.close", |tx| {
        let before = shared::again(tx, &project, &task)?;
        if let Some(caller) = &caller {
            check_caller(tx, caller, request, &before)?;
        }
        let blockers = gating(tx, request, &before)?;
        if !blockers.is_empty() {
            return Ok(left_alone(&project, before, blockers));
        }
        let decision = decision(request, (&project, &before), &words)?;
        let waiting = waiting(tx, before.pk)?;
        if let Some(verified) = &request.verified {
            shared::record(tx, &before, Some(verified))?;
        }
        if let Decision::Closes(closing) = decision {
            is_weak = rests_on_little(tx, &before, (request, closing), &words)?;
            tasks::set_state(tx, before.pk, closing.state())?;
            write_words(tx, &before, (request, closing), (&words, &author))?;
        }
        let (released, moved_to) =
            free_dependents(tx, (&project, &before), decision.closing(), &request.dependents)?;
        let task = shared::again(tx, &project, &before)?;
        Ok(Closed {
            unblocked: startable(tx, &waiting)?,
            left_blocked: left_blocked(tx, &task)?,
            changed: task.state != before.state,
            was: before.state,
            project: project.clone(),
            task,
            released,
            moved_to,
            blockers: Vec::new(),
            uncommitted: None,
        })
    })?;
    let closed = Closed { uncommitted: uncommitted(ctx, &closed)?, ..closed };
    if closed.changed {
        workspaces::tell_of_strays(ctx, &closed.project, &closed.task)?;
    }
    if is_weak {
        let way = closed.task.state.substate();
        ctx.warn(weighing::warning(
            &closed.project.name,
            &closed.task.id,
            &format!("closed as {way}"),
        ));
    }
    Ok(closed)
}

/// What a close that is to happen only when the task is ready comes to now, when it is not.
pub fn gated(ctx: &Ctx, request: &Close) -> Result<Option<Closed>> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    let blockers = gating(&ctx.read(), request, &task)?;
    Ok((!blockers.is_empty()).then(|| left_alone(&project, task, blockers)))
}

/// The blockers that keep a task from being closed, where they are asked to; closed so already, none does.
fn gating(tx: &ReadTx<'_>, request: &Close, task: &Task) -> Result<Vec<edges::End>> {
    if !request.if_ready || stands(request, task) {
        return Ok(Vec::new());
    }
    let mut ends = edges::blockers(tx, task.pk)?;
    ends.retain(|it| !it.is_satisfied());
    Ok(ends)
}

fn left_alone(project: &Project, task: Task, blockers: Vec<edges::End>) -> Closed {
    Closed {
        project: project.clone(),
        was: task.state,
        task,
        changed: false,
        unblocked: Vec::new(),
        left_blocked: Vec::new(),
        released: Vec::new(),
        moved_to: None,
        blockers,
        uncommitted: None,
    }
}

/// The checkout of an agent that closed a task and did not commit all of its work.
fn uncommitted(ctx: &Ctx, closed: &Closed) -> Result<Option<Workspace>> {
    let Actor::Agent(agent) = ctx.actor() else { return Ok(None) };
    if !closed.changed || agent.project_pk != closed.project.pk {
        return Ok(None);
    }
    // What cannot be looked at is told by the verbs on workspaces.
    let found = workspaces::not_ready(ctx, &closed.project, &agent.name).unwrap_or_default();
    if found.is_none_or(|it| it.reason != "workspace_dirty") {
        return Ok(None);
    }
    Ok(workspace_rows::of_agent(&ctx.read(), agent.pk)?)
}

/// Whether the task is closed already, in the way that is asked for.
fn stands(request: &Close, task: &Task) -> bool {
    task.state.is_closed() && request.closing.is_none_or(|it| it.state() == task.state)
}

/// Whether a proposal is turned down on little; that another task says the same is enough.
fn rests_on_little(
    tx: &ReadTx<'_>,
    task: &Task,
    (request, closing): (&Close, Closing),
    words: &Words,
) -> Result<bool> {
    let names_another = matches!(request.dependents, Dependents::MoveTo(_))
        || match &words.why {
            Some(why) => weighing::names_another(tx, task, why.as_str())?,
            None => false,
        };
    match closing {
        Closing::Done | Closing::Superseded => Ok(false),
        Closing::Duplicate if names_another => Ok(false),
        Closing::Rejected | Closing::Wontfix | Closing::Duplicate => {
            let said = words.evidence.as_ref().and_then(|it| it.text.as_ref());
            weighing::is_weak(tx, task, &[words.why.as_ref(), said])
        }
    }
}

/// A worker closes what it holds; a reviewer only rejects it. Closing again what is closed changes nothing.
fn check_caller(tx: &WriteTx<'_>, caller: &Caller, request: &Close, task: &Task) -> Result<()> {
    if stands(request, task) && request.dependents == Dependents::Wait {
        return Ok(());
    }
    shared::check_holder(tx, Some(caller), task)?;
    let is_alone = request.dependents == Dependents::Wait;
    caller.keep(tx, (Within::Held, is_alone), "what waits for it is for those who lead")?;
    let may_close = caller.role == Role::Worker || request.closing == Some(Closing::Rejected);
    caller.keep(tx, (Within::Rejecting, may_close), "closing it otherwise is for others")
}

fn decision(
    request: &Close,
    (project, task): (&Project, &Task),
    words: &Words,
) -> Result<Decision> {
    let passed = request.verified.as_ref().is_some_and(|it| {
        it.kind == "verified" && (task.verify.is_none() || it.command == task.verify)
    });
    let proof = match (passed, request.unverified) {
        (true, _) => Proof::Passed,
        (false, true) => Proof::Waived,
        (false, false) => Proof::Word,
    };
    let moves = matches!(request.dependents, Dependents::MoveTo(_));
    let ask = Ask { closing: request.closing, has_why: words.why.is_some() || moves, proof };
    decide(task.state, task.verify.is_some(), ask).map_err(|reason| {
        let (id, project, command) = (task.id.clone(), project.name.clone(), task.verify.clone());
        TaskError::NotClosable { id, project, command, reason }.into()
    })
}

/// Keeps the reason as a note, or as the waiver's evidence, and what the caller says.
fn write_words(
    tx: &WriteTx<'_>,
    task: &Task,
    (request, closing): (&Close, Closing),
    (words, author): (&Words, &str),
) -> Result<()> {
    shared::record(tx, task, words.evidence.as_ref())?;
    if request.unverified {
        let waiver = Evidence {
            kind: "unverified".to_owned(),
            verb: "close".to_owned(),
            text: words.why.clone(),
            command: task.verify.clone(),
            said_by: author.to_owned(),
            ..Evidence::default()
        };
        return shared::record(tx, task, Some(&waiver));
    }
    let instead = match &request.dependents {
        Dependents::MoveTo(id) => Some(format!("by {id}")),
        Dependents::Wait | Dependents::Release => None,
    };
    let parts: Vec<&str> =
        instead.as_deref().into_iter().chain(words.why.as_ref().map(Text::as_str)).collect();
    if !parts.is_empty() {
        let (label, mut said) = (closing.as_str().to_uppercase(), parts.join(": "));
        if matches!(closing, Closing::Rejected | Closing::Superseded) {
            said = weighing::with_titles(tx, task, &said)?;
        }
        let note = Text::new(&format!("{label}: {said}"));
        notes::insert(tx, task.pk, author, &note)?;
    }
    Ok(())
}

/// The keys of the dependents that cannot start.
fn waiting(tx: &WriteTx<'_>, pk: i64) -> Result<Vec<i64>> {
    let mut waiting = Vec::new();
    for end in open_dependents(tx, pk)? {
        if tasks::by_pk(tx, end.pk)?.is_some_and(|it| !it.is_ready()) {
            waiting.push(end.pk);
        }
    }
    Ok(waiting)
}

fn startable(tx: &WriteTx<'_>, keys: &[i64]) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for pk in keys {
        ids.extend(tasks::by_pk(tx, *pk)?.filter(Task::is_ready).map(|it| it.id));
    }
    Ok(ids)
}

fn left_blocked(tx: &WriteTx<'_>, task: &Task) -> Result<Vec<String>> {
    if !task.state.is_closed() || task.state.satisfies_edge() {
        return Ok(Vec::new());
    }
    Ok(open_dependents(tx, task.pk)?.into_iter().map(|it| it.id).collect())
}

/// Takes the open dependents off a task, and hangs them on another one where that is asked.
fn free_dependents(
    tx: &WriteTx<'_>,
    (project, task): (&Project, &Task),
    closing: Closing,
    wish: &Dependents,
) -> Result<(Vec<String>, Option<String>)> {
    if *wish != Dependents::Wait && closing == Closing::Done {
        return Err(OpError::Usage(format!(
            "{} is closed as done, so nothing waits for it that could be released or moved",
            task.id
        )));
    }
    let instead = match wish {
        Dependents::Wait => return Ok((Vec::new(), None)),
        Dependents::Release => None,
        Dependents::MoveTo(id) => Some(replacement(tx, project, task, id)?),
    };
    let mut freed = Vec::new();
    for end in open_dependents(tx, task.pk)? {
        edges::delete(tx, task.pk, end.pk)?;
        if let Some(instead) = instead.as_ref().filter(|it| it.pk != end.pk) {
            check_path(tx, project, (instead.pk, &instead.id), (end.pk, &end.id))?;
            edges::insert(tx, instead.pk, end.pk)?;
        }
        freed.push(end.id);
    }
    Ok((freed, instead.map(|it| it.id)))
}

/// The task that takes over; one that will never be done is refused.
fn replacement(tx: &WriteTx<'_>, project: &Project, task: &Task, id: &str) -> Result<Task> {
    let instead = task_in(tx, project, id, &task.id)?;
    if instead.pk == task.pk {
        return Err(OpError::Usage(format!("{} cannot take its own place", task.id)));
    }
    if instead.state.is_closed() && !instead.state.satisfies_edge() {
        let (id, project, state) = (instead.id, project.name.clone(), instead.state.to_string());
        return Err(TaskError::Closed { id, project, state }.into());
    }
    Ok(instead)
}
