//! What is written on a task, and what speaks for it, as JSON.

use drover_ops::rows::{End, Evidence, Message, Note, Op};
use drover_ops::tasks::{Entry, Shown, TaskProof, Weighed};
use drover_ops::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

use super::items::Items;
use super::task::TaskView;
use super::usage::UsageView;

/// A task at the other end of an edge.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndView {
    /// Its short id.
    id: String,
    /// `OPEN`, `IN_PROGRESS` or `CLOSED`.
    status: String,
    /// The second half of its state.
    substate: String,
}

impl From<&End> for EndView {
    fn from(end: &End) -> Self {
        Self {
            id: end.id.clone(),
            status: end.state.status().to_string(),
            substate: end.state.substate().to_owned(),
        }
    }
}

/// A note.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoteView {
    /// Who wrote it.
    author: String,
    /// What it says.
    text: String,
    /// When.
    created_at: String,
}

impl From<&Note> for NoteView {
    fn from(note: &Note) -> Self {
        Self {
            author: note.author.clone(),
            text: note.text.clone(),
            created_at: note.created_at.clone(),
        }
    }
}

/// A piece of evidence.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvidenceView {
    /// `said`, `verified`, `failed`, `landed` or `unverified`.
    kind: String,
    /// The verb it came with.
    verb: String,
    /// What was said.
    text: Option<String>,
    /// The command that ran.
    command: Option<String>,
    /// Whose choice the command was: `plan`, `policy` or `caller`.
    chosen_by: Option<String>,
    /// Its exit code.
    exit: Option<i64>,
    /// The signal that ended it.
    signal: Option<i64>,
    /// How long it ran.
    duration_ms: Option<i64>,
    /// The commit it ran on.
    commit: Option<String>,
    /// The tree it ran on.
    tree: Option<String>,
    /// Whether the tree held changes that the commit does not.
    dirty: Option<bool>,
    /// SHA-256 of its output, in hex.
    log_digest: Option<String>,
    /// The file with its output.
    log_path: Option<String>,
    /// Who says it.
    said_by: String,
    /// When.
    created_at: String,
    /// Whether later evidence was taken on another commit.
    stale: bool,
}

impl From<&Weighed> for EvidenceView {
    fn from(weighed: &Weighed) -> Self {
        let it: &Evidence = &weighed.evidence;
        Self {
            kind: it.kind.clone(),
            verb: it.verb.clone(),
            text: it.text.as_ref().map(|it| it.as_str().to_owned()),
            command: it.command.clone(),
            chosen_by: it.chosen_by.clone(),
            exit: it.exit,
            signal: it.signal,
            duration_ms: it.duration_ms,
            commit: it.commit_oid.clone(),
            tree: it.tree_oid.clone(),
            dirty: it.dirty,
            log_digest: it.log_digest.clone(),
            log_path: it.log_path.clone(),
            said_by: it.said_by.clone(),
            created_at: it.created_at.clone(),
            stale: weighed.is_stale,
        }
    }
}

/// A note that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskNoted {
    /// The task.
    pub(crate) task: TaskView,
    /// The note.
    pub(crate) note: NoteView,
    /// Somebody else has the task in progress, and will not see the note by itself.
    pub(crate) unseen_by: Option<String>,
}

/// A note or a piece of evidence, in the order they were written.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum EntryView {
    /// A note; it has no `kind`.
    Note(NoteView),
    /// A piece of evidence.
    Evidence(Box<EvidenceView>),
}

impl From<&Entry> for EntryView {
    fn from(entry: &Entry) -> Self {
        match entry {
            Entry::Note(note) => Self::Note(note.into()),
            Entry::Evidence(weighed) => Self::Evidence(Box::new(weighed.as_ref().into())),
        }
    }
}

/// What was written on a task, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskNotes {
    /// The task's short id.
    pub(crate) id: String,
    /// The entries.
    pub(crate) items: Vec<EntryView>,
    /// How many there are here.
    pub(crate) count: usize,
    /// How many there are without `--tail`.
    pub(crate) total: usize,
}

/// What blocks a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BlockersView {
    /// Those that are not done.
    gating: Items<EndView>,
    /// Those that are.
    satisfied: Items<EndView>,
}

/// A task with all that hangs on it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskShown {
    /// The task.
    task: TaskView,
    /// What blocks it.
    blockers: BlockersView,
    /// What it blocks.
    dependents: Items<EndView>,
    /// Its notes, oldest first.
    notes: Items<NoteView>,
    /// Its evidence, oldest first.
    evidence: Items<EvidenceView>,
    /// What agents used while they held it.
    usage: UsageView,
}

impl TaskShown {
    pub(crate) fn new(shown: &Shown, usage: &Usage) -> Self {
        let (satisfied, gating): (Vec<&End>, Vec<&End>) =
            shown.blockers.iter().partition(|it| it.is_satisfied());
        let ends = |ends: Vec<&End>| Items::new(ends.into_iter().map(EndView::from).collect());
        Self {
            task: TaskView::new(&shown.project.name, &shown.task),
            blockers: BlockersView { gating: ends(gating), satisfied: ends(satisfied) },
            dependents: ends(shown.dependents.iter().collect()),
            notes: Items::new(shown.notes.iter().map(NoteView::from).collect()),
            evidence: Items::new(shown.evidence.iter().map(EvidenceView::from).collect()),
            usage: usage.into(),
        }
    }
}

/// The change that gave a task to its last holder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimView {
    /// Who claimed.
    by: String,
    /// When.
    at: String,
    /// The change group.
    group: String,
}

impl From<&Op> for ClaimView {
    fn from(op: &Op) -> Self {
        Self { by: op.actor.clone(), at: op.at.clone(), group: op.group.clone() }
    }
}

/// A message about a task and how far it got.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReceiptView {
    /// The agent it is for.
    agent: String,
    /// Its number among that agent's messages.
    number: i64,
    /// How far it got.
    level: String,
    /// What proves that.
    proof: Option<String>,
    /// Why it got no further.
    reason: Option<String>,
    /// Who sent it.
    sender: String,
    /// SHA-256 of the sent text, in hex.
    digest: String,
    /// When it was written.
    created_at: String,
    /// When it left.
    sent_at: Option<String>,
}

impl From<&(String, Message)> for ReceiptView {
    fn from((agent, message): &(String, Message)) -> Self {
        Self {
            agent: agent.clone(),
            number: message.number,
            level: message.level.to_string(),
            proof: message.proof.clone(),
            reason: message.reason.clone(),
            sender: message.sender.clone(),
            digest: message.digest.clone(),
            created_at: message.created_at.clone(),
            sent_at: message.sent_at.clone(),
        }
    }
}

/// What the holder was asked to do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BriefView {
    /// What is to be done.
    title: String,
    /// The notes, oldest first.
    notes: Items<NoteView>,
}

/// What speaks for a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskProofView {
    /// The task.
    task: TaskView,
    /// Who has it, or had it last.
    claim: Option<ClaimView>,
    /// What the holder was asked to do.
    brief: BriefView,
    /// The messages about it.
    receipts: Items<ReceiptView>,
    /// The commits that evidence names, oldest first, each once.
    commits: Items<String>,
    /// The evidence but landings, oldest first.
    evidence: Items<EvidenceView>,
    /// The landings.
    landings: Items<EvidenceView>,
}

impl From<&TaskProof> for TaskProofView {
    fn from(proof: &TaskProof) -> Self {
        let shown = &proof.shown;
        let (landings, evidence): (Vec<&Weighed>, Vec<&Weighed>) =
            shown.evidence.iter().partition(|it| it.evidence.kind == "landed");
        let views =
            |of: Vec<&Weighed>| Items::new(of.into_iter().map(EvidenceView::from).collect());
        let mut commits: Vec<String> = Vec::new();
        for commit in shown.evidence.iter().filter_map(|it| it.evidence.commit_oid.clone()) {
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
        Self {
            task: TaskView::new(&shown.project.name, &shown.task),
            claim: proof.claim.as_ref().map(ClaimView::from),
            brief: BriefView {
                title: shown.task.title.clone(),
                notes: Items::new(shown.notes.iter().map(NoteView::from).collect()),
            },
            receipts: Items::new(proof.receipts.iter().map(ReceiptView::from).collect()),
            commits: Items::new(commits),
            evidence: views(evidence),
            landings: views(landings),
        }
    }
}
