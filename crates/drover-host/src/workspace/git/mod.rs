//! The git backend: repositories, worktrees, merges and rescues, all by running git.

mod behind;
mod beside;
mod commit;
mod diff;
mod error;
mod merge;
mod modules;
mod oid;
mod refs;
mod repository;
mod rescue;
mod run;
mod stash;
mod status;
mod submodule;
mod taken;
mod undone;
mod worktree;

pub use behind::jj_repository;
pub(super) use beside::files_beside;
pub use commit::{
    Commit, Passing, commit_all, commits, commits_between, commits_only_in, has_identity, latest,
    trailers,
};
pub use diff::{FileChange, changes, diff};
pub use error::GitError;
pub use merge::{
    Merge, PrivateMerge, PrivateWorktree, Refresh, RefreshBy, conflicts, merge_in_private_worktree,
    refresh, remove_private_worktree,
};
pub(super) use merge::{in_the_way_of_commit, merge_commit};
pub use oid::Oid;
pub use refs::{
    Distance, ahead_behind, branch_tip, branches, check_branch_is_free, check_branch_name,
    create_branch, create_ref, fetch, head_moved_at, is_ancestor, is_reachable, line_tip,
    merge_base, rename_branch, resolve, stands_for, tree_of, update_ref_cas, upstream,
};
pub(super) use refs::{delete_ref_cas, set_ref};
pub use repository::{Directories, Repository, directories, origin_url, repository};
pub use rescue::{Rescue, rescue, rescue_branch, set_back};
pub use stash::stashes;
pub use status::{Operation, Status, hidden, is_ignored, status};
pub use submodule::{rescue_submodules, submodules_with_work, unnamed_repositories};
pub use taken::holds;
pub use undone::{Undone, undone};
pub(super) use worktree::lock;
pub use worktree::{
    Branch, NewWorktree, Removal, Worktree, add_worktree, check_worktree, delete_branch_cas,
    forget_missing_worktree, holder_of, is_same_place, remove_worktree, take_back_worktree,
    worktree_at, worktrees,
};
