//! Every error in the user's words: outcome word, sentence, what programs want to know, the next command.

mod agent;
mod approve;
mod delegate;
mod git;
mod import;
mod link;
mod log;
mod message;
mod mu;
mod mux;
mod policy;
mod process;
mod project;
mod query;
mod store;
mod task;
mod work;
mod workspace;

use drover_ops::OpError;
use drover_ops::error::{ActorError, CallError, PageError};
use serde_json::json;

use crate::output::Spoken;

/// Says an error in the user's words.
pub(crate) fn speak(err: &OpError) -> Spoken {
    match err {
        OpError::Usage(words) => Spoken::new("usage", words),
        OpError::Name(err) => Spoken::new("invalid_name", err),
        OpError::Limit(err) => Spoken::new("usage", err),
        OpError::Actor(err) => actor(err),
        OpError::Call(err) => call(err),
        OpError::Config(err) => {
            Spoken::new("config_refused", err).next("see what holds", "drover doctor")
        }
        OpError::Project(err) => project::speak(err),
        OpError::Task(err) => task::speak(err),
        OpError::Import(err) => import::speak(err),
        OpError::Mu(err) => mu::speak(err),
        OpError::Link(err) => link::speak(err),
        OpError::Page(err @ PageError::Foreign { path }) => {
            Spoken::new("file_exists", err).data(json!({ "path": path.display().to_string() }))
        }
        OpError::Log(err) => log::speak(err),
        OpError::Query(err) => query::speak(err),
        OpError::Policy(err) => policy::speak(err),
        OpError::Dispatch(err) => work::dispatch(err),
        OpError::Me(err) => work::me(err),
        OpError::Run(err) => work::run(err),
        OpError::Agent(err) => agent::speak(err),
        OpError::Approve(err) => approve::speak(err),
        OpError::Delegate(err) => delegate::speak(err),
        OpError::Message(err) => message::speak(err),
        OpError::Workspace(err) => workspace::speak(err),
        OpError::Git(err) => git::speak(err),
        OpError::Store(err) => store::speak(err),
        OpError::Env(err) => Spoken::new("state_unusable", err),
        OpError::StateDir(err) => Spoken::new("state_unusable", err)
            .next("use another directory", "export DROVER_STATE_DIR=<directory>"),
        OpError::Mux(err) => mux::speak(err),
        OpError::Lock(err) => Spoken::new("locked", err),
        OpError::Fifo(err) => Spoken::new("not_started", err),
        OpError::Process(err) => process::speak(err),
        OpError::File { path, .. } => {
            Spoken::new("file_failed", err).data(json!({ "path": path.display().to_string() }))
        }
        OpError::Interrupted(_) => Spoken::new("interrupted", err),
        OpError::Random(_) => Spoken::new("failed", err),
        other => Spoken::new("failed", other),
    }
}

fn actor(err: &ActorError) -> Spoken {
    match err {
        ActorError::UnknownToken | ActorError::ForeignToken { .. } => {
            Spoken::new("token_refused", err)
                .next("act as yourself", "env -u DROVER_TOKEN drover …")
        }
        ActorError::ActorAndToken | ActorError::ActorInPane { .. } => Spoken::new("usage", err),
        ActorError::SandboxDenies { what } => {
            Spoken::new("sandbox_denies", err).data(json!({ "denied": what }))
        }
        ActorError::PeopleOnly { verb, agent } => {
            Spoken::new("people_only", err).data(json!({ "agent": agent, "verb": verb }))
        }
        ActorError::RoleForbids(it) => {
            let limit = it.limit.as_ref().map(|it| it.0);
            let spoken = Spoken::new("role_forbids", err).data(json!({
                "agent": it.agent, "role": it.role.as_str(), "verb": it.verb, "only": limit,
            }));
            it.ways.iter().fold(spoken, |spoken, (why, run)| spoken.next(*why, run))
        }
    }
}

fn call(err: &CallError) -> Spoken {
    match err {
        CallError::OtherRequest { key, verb } => {
            Spoken::new("key_conflict", err).data(json!({ "key": key, "verb": verb }))
        }
        CallError::InProgress { key, pid } => {
            Spoken::new("key_in_progress", err).data(json!({ "key": key, "pid": pid }))
        }
        CallError::Uncertain { key, verb } => Spoken::new("uncertain", err)
            .data(json!({ "key": key, "verb": verb }))
            .next("see what is recorded", "drover log -n 20"),
    }
}
