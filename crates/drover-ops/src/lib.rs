//! Drover's verbs as functions: each takes a [`Ctx`] and a request, and returns an outcome.
//!
//! Nothing here prints or parses arguments. Rules come from `drover-core`, rows from
//! `drover-store`, the outside world from `drover-host`.

pub mod actor;
pub mod agents;
pub mod backup;
mod briefs;
pub mod call;
pub mod config;
pub mod ctx;
pub mod delegates;
pub mod demo;
mod digest;
mod directory;
pub mod dispatch;
pub mod doctor;
pub mod engines;
pub mod error;
pub mod hooks;
pub mod link;
pub mod log;
mod logged;
pub mod me;
pub mod messages;
pub mod pages;
pub mod policy;
pub mod policy_keys;
pub mod projects;
pub mod rebuild;
pub mod reporters;
pub mod resolve;
pub mod roles;
pub mod run;
pub mod shrink;
pub mod skill;
pub mod sql;
pub mod state;
pub mod tasks;
pub mod trust;
pub mod undo;
pub mod usage;
mod variables;
mod verify;
pub mod waiting;
pub mod waits;
pub mod words;
pub mod workspaces;

pub use ctx::{Ctx, Options};
pub use drover_host::env::Env;
pub use drover_host::mux::MuxError;
pub use drover_host::process::ProcessError;
pub use drover_host::tty;
pub use drover_host::workspace::git::GitError;
/// What git answers, for those who show it.
pub mod git {
    pub use drover_host::workspace::git::{Commit, Distance, FileChange, Undone};
}
pub use drover_store::mu::MuError;
pub use drover_store::{StoreError, time_text};
/// Rows as the database has them, for those who show them.
pub mod rows {
    pub use drover_store::agents::Agent;
    pub use drover_store::delegates::Delegate;
    pub use drover_store::edges::End;
    pub use drover_store::graph::Node;
    pub use drover_store::log::Op;
    pub use drover_store::messages::Message;
    pub use drover_store::notes::{Evidence, Note};
    pub use drover_store::projects::{Project, Repository, Trust};
    pub use drover_store::sql::Cell;
    pub use drover_store::tasks::Task;
    pub use drover_store::workspaces::{Rescue, Workspace};
}
pub use digest::sha256_hex;
pub use error::OpError;
