//! What several task verbs share: the row as it is now, who may move it, and the texts they keep.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::notes::{self, Evidence};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, WriteTx, edges};

use crate::ctx::Ctx;
use crate::error::{OpError, Result, TaskError};
use crate::roles::Caller;

/// The longest title that is kept, in bytes.
pub const LONGEST_TITLE: usize = 64 << 10;
/// The longest note, reason or piece of evidence that is kept, in bytes.
pub const LONGEST_PROSE: usize = 1 << 20;
/// The longest label that is kept, in bytes.
pub(super) const LONGEST_LABEL: usize = 256;

/// A task that was moved between states.
#[derive(Debug, Clone)]
pub struct Moved {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The state it was in.
    pub was: State,
    /// Who held it before.
    pub was_held_by: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
    /// Dependents that cannot start any longer because of it.
    pub blocked_again: Vec<String>,
}

/// The task as it is inside this transaction; refused when it was deleted meanwhile.
pub(crate) fn again(tx: &ReadTx<'_>, project: &Project, task: &Task) -> Result<Task> {
    tasks::by_pk(tx, task.pk)?.ok_or_else(|| {
        let (id, project) = (task.id.clone(), project.name.clone());
        TaskError::Unknown { id, project, nearest: Vec::new() }.into()
    })
}

/// Refuses a caller whose role binds it to what it holds.
pub(crate) fn check_holder(tx: &ReadTx<'_>, caller: Option<&Caller>, task: &Task) -> Result<()> {
    caller.map_or(Ok(()), |it| it.keep_to_held(tx, task))
}

/// A title as it may be kept.
pub(crate) fn title(text: &str) -> Result<Text> {
    check_length("title", text, LONGEST_TITLE)?;
    let title = Text::new(text.trim());
    if title.as_str().is_empty() {
        return Err(OpError::Usage("the title is blank".to_owned()));
    }
    Ok(title)
}

/// A longer text as it may be kept; `what` names it in a refusal.
pub(crate) fn prose(what: &str, text: &str) -> Result<Text> {
    if text.trim().is_empty() {
        return Err(OpError::Usage(format!("the {what} is blank")));
    }
    check_length(what, text, LONGEST_PROSE)?;
    Ok(Text::new(text))
}

/// Labels as a JSON array, secrets taken out, or a refusal that names the bad one.
pub(crate) fn labels(labels: &[String]) -> Result<String> {
    let mut kept = Vec::with_capacity(labels.len());
    for label in labels {
        if label.trim().is_empty() {
            return Err(OpError::Usage("a label is blank".to_owned()));
        }
        check_length("label", label, LONGEST_LABEL)?;
        kept.push(Text::new(label.trim()).into_string());
    }
    Ok(serde_json::Value::from(kept).to_string())
}

/// A verify command as it may be kept.
pub(crate) fn command(command: &str) -> Result<&str> {
    if command.trim().is_empty() {
        return Err(OpError::Usage("the verify command is blank".to_owned()));
    }
    check_length("verify command", command, LONGEST_TITLE)?;
    without_secret("the verify command", command)?;
    Ok(command)
}

/// Refuses a secret in what must be kept exactly as it was given.
pub(crate) fn without_secret(what: &str, text: &str) -> Result<()> {
    if Text::new(text).redactions() == 0 {
        return Ok(());
    }
    Err(OpError::Usage(format!(
        "{what} holds what looks like a secret: let it read a file or a variable"
    )))
}

fn check_length(what: &str, text: &str, longest: usize) -> Result<()> {
    if text.len() <= longest {
        return Ok(());
    }
    Err(OpError::Usage(format!(
        "the {what} has {} bytes, and at most {longest} are kept: put it into a file and name the file",
        text.len()
    )))
}

/// What the caller says beside a verb, as evidence of the kind `said`.
pub(crate) fn said(ctx: &mut Ctx, verb: &str, text: Option<&str>) -> Result<Option<Evidence>> {
    let Some(text) = text else { return Ok(None) };
    let text = prose("evidence", text)?;
    ctx.note_redactions(&text);
    Ok(Some(Evidence {
        kind: "said".to_owned(),
        verb: verb.to_owned(),
        text: Some(text),
        said_by: ctx.actor().word(),
        ..Evidence::default()
    }))
}

/// Writes evidence, if there is any.
pub(crate) fn record(tx: &WriteTx<'_>, task: &Task, evidence: Option<&Evidence>) -> Result<()> {
    match evidence {
        Some(it) => Ok(notes::insert_evidence(tx, task.project_pk, &task.uid, it)?),
        None => Ok(()),
    }
}

/// The dependents of a task that are not closed.
pub(crate) fn open_dependents(tx: &ReadTx<'_>, pk: i64) -> Result<Vec<edges::End>> {
    let mut ends = edges::dependents(tx, pk)?;
    ends.retain(|it| !it.state.is_closed());
    Ok(ends)
}
