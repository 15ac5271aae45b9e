//! The git backend: repositories, worktrees, merges and rescues, all by running git.

mod commit;
mod error;
mod merge;
mod oid;
mod refs;
mod repository;
mod rescue;
mod run;
mod status;
mod worktree;

pub use commit::{Commit, commit_all, commits, has_identity};
pub use error::GitError;
pub use merge::{
    Merge, PrivateMerge, PrivateWorktree, Refresh, RefreshBy, conflicts, merge_in_private_worktree,
    refresh,
};
pub use oid::Oid;
pub use refs::{
    Distance, ahead_behind, check_branch_name, create_ref, is_ancestor, is_reachable, merge_base,
    resolve, update_ref_cas,
};
pub use repository::{Repository, origin_url, repository};
pub use rescue::{Rescue, rescue};
pub use status::{Operation, Status, status};
pub use worktree::{
    Branch, NewWorktree, Removal, Worktree, add_worktree, check_worktree, delete_branch_cas,
    forget_missing_worktree, holder_of, remove_worktree, worktrees,
};
