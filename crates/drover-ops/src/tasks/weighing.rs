//! What a decision rests on: the reason that is given for it, and what its notes say of the proposal.

use drover_core::task::State;
use drover_core::task::reason::{self, VERDICTS};
use drover_core::text::Text;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, notes};

use crate::error::Result;

/// Whether a proposal is decided on a thin reason, while no note says how it was examined.
pub(super) fn is_weak(tx: &ReadTx<'_>, before: &Task, reasons: &[Option<&Text>]) -> Result<bool> {
    let given: Vec<&str> = reasons.iter().flatten().map(|it| it.as_str().trim()).collect();
    let is_thin = reason::is_thin(&given.join(" "));
    Ok(before.state == State::Triage && is_thin && !notes::has_line(tx, before.pk, &VERDICTS)?)
}

/// The warning about such a decision; `decision` is the participle, as `admitted`.
pub(super) fn warning(project: &str, id: &str, decision: &str) -> String {
    format!(
        "{id} was {decision} on little: no note of it begins with {}, and the reason is short; \
         drover task note {project}/{id} \"{} <why>\" keeps the next one from asking again",
        VERDICTS.map(str::trim_end).join(" or "),
        VERDICTS.first().unwrap_or(&""),
    )
}

/// A reason with the titles of the tasks of this project that it names.
pub(super) fn with_titles(tx: &ReadTx<'_>, task: &Task, text: &str) -> Result<String> {
    let mut titles = std::collections::HashMap::new();
    for id in reason::named(text) {
        if let Some(found) = tasks::find(tx, task.project_pk, id)? {
            titles.insert(found.id, found.title);
        }
    }
    Ok(reason::with_titles(text, |id| titles.get(id).cloned()))
}

/// Whether a text names a task of this project other than the one that is decided on.
pub(super) fn names_another(tx: &ReadTx<'_>, task: &Task, text: &str) -> Result<bool> {
    for id in reason::named(text) {
        if tasks::find(tx, task.project_pk, id)?.is_some_and(|it| it.pk != task.pk) {
            return Ok(true);
        }
    }
    Ok(false)
}
