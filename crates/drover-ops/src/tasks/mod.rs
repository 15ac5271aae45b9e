//! Verbs on tasks.

mod add;
mod claim;
mod close;
mod delete;
mod graph;
mod import;
mod list;
mod note;
mod plan;
mod shared;
mod show;
mod states;
mod update;
mod verified;
mod weighing;
mod why;

pub(crate) use add::free_id;
pub use add::{Add, Added, add};
pub use claim::{Claim, ClaimNext, Claimed, Startable, claim, claim_next, next};
pub use close::{Close, Closed, Dependents, close, gated};
pub use delete::{Consent, Deleted, delete};
pub use graph::{EdgeChange, Edges, EdgesChanged, Reparented, block, reparent, unblock};
pub use import::{Difference, Imported, Plan, import};
pub use list::{List, Owner, Sort, TaskList, list};
pub use note::{Entry, NoteList, Noted, Notes, Since, note, notes};
pub use plan::{Planned, Reason, Unplanned, plan};
pub(crate) use shared::without_secret;
pub use shared::{LONGEST_PROSE, LONGEST_TITLE, Moved};
pub use show::{Shown, TaskProof, Weighed, show, show_proof};
pub use states::{Move, MoveTask, move_task};
pub use update::{Renamed, Update, Updated, Verify, rename, update};
pub use verified::verified;
pub use why::{Direction, Explained, TaskTree, tree, why};
