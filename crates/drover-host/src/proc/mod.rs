//! Processes as the kernel shows them: who lives, whose child it is, and how to end a whole tree.

mod end;
mod kick;
mod stat;
mod tree;

pub use end::{Ended, end_tree};
pub use kick::{Kicked, StopSignal, kick};
pub use stat::{
    Identity, arguments, boot_id, cwd, ends_within, foreground_group, identity, is_alive,
    leave_terminal, name, own_identity, parent, pidfd, process_group, unreaped_exit, wait_for_end,
};
pub use tree::{
    AGENT_UID_VARIABLE, Process, Snapshot, ancestors, in_directory, is_group_alive, tree_of,
};
