//! What a verb can refuse or fail with; one enum per concern, gathered here.

mod actor;
mod agent;
mod approve;
mod call;
mod config;
mod delegate;
mod dispatch;
mod import;
mod link;
mod log;
mod me;
mod message;
mod mu;
mod page;
mod policy;
mod project;
mod query;
mod run;
mod task;
mod workspace;

use std::path::PathBuf;

use drover_core::duration::LimitError;
use drover_core::name::NameError;
use drover_host::env::EnvError;
use drover_host::fifo::FifoError;
use drover_host::lock::LockError;
use drover_host::mux::MuxError;
use drover_host::process::ProcessError;
use drover_host::state_dir::StateDirError;
use drover_host::workspace::git::GitError;
use drover_store::StoreError;

pub use actor::{ActorError, Forbidden};
pub use agent::AgentError;
pub use approve::ApproveError;
pub use call::CallError;
pub use config::ConfigError;
pub use delegate::DelegateError;
pub use dispatch::DispatchError;
pub use drover_host::target::TargetError;
pub use drover_store::sql::SqlError;
pub use import::{ImportError, Problem};
pub use link::LinkError;
pub use log::{LogError, Superseded};
pub use me::MeError;
pub use message::MessageError;
pub use mu::MuImportError;
pub use page::PageError;
pub use policy::PolicyError;
pub use project::ProjectError;
pub use query::QueryError;
pub use run::RunError;
pub use task::TaskError;
pub use workspace::{Attempt, Ending, WayBack, WorkspaceError};

/// Why a verb did not do what it was asked. Nothing was written unless the error says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpError {
    /// The call's words are off.
    #[error("{0}")]
    Usage(String),
    /// A name breaks its rule.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A time limit cannot be read.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// About who acts.
    #[error(transparent)]
    Actor(#[from] ActorError),
    /// About the call itself: its key.
    #[error(transparent)]
    Call(#[from] CallError),
    /// About the configuration file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// About projects.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// About tasks.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// About plans.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// About taking over a database of mu.
    #[error(transparent)]
    Mu(#[from] MuImportError),
    /// About the log and its groups.
    #[error(transparent)]
    Log(#[from] LogError),
    /// About statements that a person writes.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// About the policy of projects.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// About dispatch.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// About delegates.
    #[error(transparent)]
    Delegate(#[from] DelegateError),
    /// About the caller's own work.
    #[error(transparent)]
    Me(#[from] MeError),
    /// About the settings of chat agents.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// About manual pages.
    #[error(transparent)]
    Page(#[from] PageError),
    /// About a run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// About agents.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// About dialogs of agents.
    #[error(transparent)]
    Approve(#[from] ApproveError),
    /// About messages to agents.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// About repositories, checkouts and landing.
    #[error(transparent)]
    Workspace(Box<WorkspaceError>),
    /// Git refused or failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The environment does not say where to look.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The state directory cannot be used.
    #[error(transparent)]
    StateDir(#[from] StateDirError),
    /// The multiplexer did not do as asked.
    #[error(transparent)]
    Mux(#[from] MuxError),
    /// A lock was not to be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Nothing was heard from a process that was started.
    #[error(transparent)]
    Fifo(#[from] FifoError),
    /// A program failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A file could not be handled.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The person asked to stop; what stands now is said.
    #[error("interrupted: {0}")]
    Interrupted(String),
    /// The system has no randomness to give.
    #[error("the system gives no random bytes: {0}")]
    Random(std::io::Error),
}

impl From<SqlError> for OpError {
    fn from(err: SqlError) -> Self {
        match err {
            SqlError::Store(err) => err.into(),
            other => QueryError::Sql(other).into(),
        }
    }
}

impl From<WorkspaceError> for OpError {
    fn from(err: WorkspaceError) -> Self {
        Self::Workspace(Box::new(err))
    }
}

/// The result of every verb.
pub type Result<T> = std::result::Result<T, OpError>;

/// Blames a file for an I/O error.
pub fn at_file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> OpError {
    let path = path.into();
    move |source| OpError::File { path, source }
}
