//! Row changes, groups and undos as JSON.

use drover_ops::error::Superseded;
use drover_ops::log::{Happening, Item, Meanwhile, Since, Undelivered};
use drover_ops::undo::{Listed, TakenBack};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Items;

/// A row change.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeView {
    /// Its position in this machine's log.
    seq: i64,
    /// When.
    at: String,
    /// The change group it belongs to.
    group: String,
    /// Who acted.
    actor: String,
    /// Which verb acted, as `task.claim`.
    intent: String,
    /// The kind of row.
    entity: String,
    /// What the row is called.
    subject: String,
    /// The row's identity.
    uid: String,
    /// The project of the row.
    project: Option<String>,
    /// `put` or `del`.
    op: String,
    /// `portable` or `local`.
    scope: String,
    /// The change in one line.
    words: String,
    /// The changed columns before; null for a new row.
    old: Value,
    /// The changed columns after; null for a deleted row.
    new: Value,
}

impl From<&Item> for ChangeView {
    fn from(item: &Item) -> Self {
        let op = &item.op;
        let row = |text: &Option<String>| {
            text.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or(Value::Null)
        };
        Self {
            seq: op.seq,
            at: op.at.clone(),
            group: op.group.clone(),
            actor: op.actor.clone(),
            intent: op.intent.clone(),
            entity: op.entity.clone(),
            subject: item.subject.clone(),
            uid: op.uid.clone(),
            project: item.project.clone(),
            op: op.op.clone(),
            scope: op.scope.clone(),
            words: item.words.clone(),
            old: row(&op.old),
            new: row(&op.new),
        }
    }
}

/// One row change, as `log --tail` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeLogged {
    /// The change.
    pub(crate) change: ChangeView,
}

/// A line that was added to the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LineAppended {
    /// Its position.
    pub(crate) seq: i64,
    /// Where.
    pub(crate) project: String,
    /// Its kind.
    pub(crate) kind: String,
    /// Who wrote it.
    pub(crate) author: String,
    /// What it says.
    pub(crate) text: String,
}

/// A change group.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupView {
    /// Its id.
    group: String,
    /// Which verbs acted.
    intents: Vec<String>,
    /// Who acted.
    actor: String,
    /// How many row changes it holds.
    changes: i64,
    /// When.
    at: String,
    /// The undo that took it back, unless that was taken back in turn.
    undone_by: Option<String>,
}

impl From<&Listed> for GroupView {
    fn from(listed: &Listed) -> Self {
        let group = &listed.group;
        Self {
            group: group.id.clone(),
            intents: group.intents.clone(),
            actor: group.actor.clone(),
            changes: group.ops,
            at: group.at.clone(),
            undone_by: listed.undone_by.clone(),
        }
    }
}

/// What taking back a group does, did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UndoAnswer {
    /// The group.
    group: String,
    /// Which verbs acted in it.
    intents: Vec<String>,
    /// Who acted.
    actor: String,
    /// When.
    at: String,
    /// The undo that took it back before.
    undone_by: Option<String>,
    /// The group of this undo; null for a preview.
    undo_group: Option<String>,
    /// Each reversed change, as the undo does it.
    changes: Items<ReversalView>,
    /// Changes of this machine's own rows, which the undo leaves alone.
    local: Items<LocalView>,
    /// What stands in the way.
    conflicts: Items<ConflictView>,
}

/// A change that is taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReversalView {
    /// The kind of row.
    entity: String,
    /// What the row is called.
    subject: String,
    /// The project of the row.
    project: Option<String>,
    /// What the undo does, in one line.
    words: String,
}

/// A change that undo leaves alone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LocalView {
    /// The kind of row.
    entity: String,
    /// What the row is called.
    subject: String,
    /// The command that reverses the change, where there is one.
    run: Option<String>,
}

/// What stands in the way of an undo.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConflictView {
    /// The kind of row.
    entity: String,
    /// What the row is called.
    subject: String,
    /// What is in the way.
    what: String,
    /// The fields that were changed since.
    fields: Vec<String>,
    /// The later group that changed it.
    group: Option<String>,
    /// Who made that change.
    actor: Option<String>,
}

impl From<&Superseded> for ConflictView {
    fn from(conflict: &Superseded) -> Self {
        Self {
            entity: conflict.entity.clone(),
            subject: conflict.subject.clone(),
            what: conflict.what.clone(),
            fields: conflict.fields.clone(),
            group: conflict.group.clone(),
            actor: conflict.actor.clone(),
        }
    }
}

impl From<&TakenBack> for UndoAnswer {
    fn from(taken: &TakenBack) -> Self {
        let changes = taken.changes.iter().map(|it| ReversalView {
            entity: it.op.entity.clone(),
            subject: it.subject.clone(),
            project: it.project.clone(),
            words: it.words.clone(),
        });
        let local = taken.local.iter().map(|(it, run)| LocalView {
            entity: it.op.entity.clone(),
            subject: it.subject.clone(),
            run: run.clone(),
        });
        Self {
            group: taken.group.id.clone(),
            intents: taken.group.intents.clone(),
            actor: taken.group.actor.clone(),
            at: taken.group.at.clone(),
            undone_by: taken.undone_by.clone(),
            undo_group: taken.undo_group.clone(),
            changes: Items::new(changes.collect()),
            local: Items::new(local.collect()),
            conflicts: Items::new(taken.conflicts.iter().map(ConflictView::from).collect()),
        }
    }
}

/// What happened meanwhile.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MeanwhileView {
    /// After this position; null where a time was asked for.
    from_seq: Option<i64>,
    /// From this time on; null where a position was asked for.
    from: Option<String>,
    /// Up to this position.
    to_seq: i64,
    /// Whether there was no earlier call to go on from.
    first_call: bool,
    /// What happened, by project and kind.
    happenings: Items<HappeningView>,
    /// Messages that have not arrived by now.
    undelivered: Items<UndeliveredView>,
}

/// Changes of one kind in one project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HappeningView {
    /// The project.
    project: Option<String>,
    /// `closed`, `landed`, `failed`, `died`, `lost`, `released`, `reopened`, `claimed`, `added`, `deleted`, `noted` or `said`.
    kind: &'static str,
    /// How many changes.
    total: usize,
    /// The changes, oldest first; the latest hundred where they are more.
    changes: Items<ChangeView>,
}

/// A message that has not arrived.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UndeliveredView {
    /// The project of its agent.
    project: String,
    /// Whom it is for.
    agent: String,
    /// Its number among that agent's messages.
    number: i64,
    /// How far it got.
    level: String,
    /// Why no further.
    reason: Option<String>,
}

impl From<&Happening> for HappeningView {
    fn from(happening: &Happening) -> Self {
        Self {
            project: happening.project.clone(),
            kind: happening.kind.as_str(),
            total: happening.count,
            changes: Items::new(happening.items.iter().map(ChangeView::from).collect()),
        }
    }
}

impl From<&Undelivered> for UndeliveredView {
    fn from(message: &Undelivered) -> Self {
        Self {
            project: message.project.clone(),
            agent: message.agent.clone(),
            number: message.number,
            level: message.level.clone(),
            reason: message.reason.clone(),
        }
    }
}

impl From<&Meanwhile> for MeanwhileView {
    fn from(meanwhile: &Meanwhile) -> Self {
        let (from_seq, from) = match meanwhile.from {
            Since::Seq(seq) => (Some(seq), None),
            Since::Time(time) => (None, Some(format!("{time:.3}"))),
        };
        let happenings = meanwhile.happenings.iter().map(HappeningView::from).collect();
        let undelivered = meanwhile.undelivered.iter().map(UndeliveredView::from).collect();
        Self {
            from_seq,
            from,
            to_seq: meanwhile.to,
            first_call: meanwhile.is_first,
            happenings: Items::new(happenings),
            undelivered: Items::new(undelivered),
        }
    }
}
