//! `drover agent`.

mod abort;
mod adopt;
mod approve;
mod attach;
mod card;
mod close;
mod delegate;
mod explain;
mod kick;
mod list;
mod queue;
mod read;
mod rename;
mod restart;
mod restore;
mod send;
mod show;
mod spawn;
mod wait;

use clap::Subcommand;

pub(super) use card::doing;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentVerb {
    /// Stop the running turn of an agent.
    Abort(abort::Abort),
    /// Make an agent of what somebody has started in a pane.
    Adopt(adopt::Adopt),
    Approve(approve::Approve),
    /// Show an agent's pane on this terminal.
    Attach(attach::Attach),
    /// End an agent and free its name.
    Close(close::Close),
    /// Have a helper work on a task in words, and take its answer.
    Delegate(Box<delegate::Delegate>),
    /// Show why an agent is said to do what it does.
    Explain(explain::Explain),
    /// Signal what an agent has in front on its terminal.
    Kick(kick::Kick),
    /// List the agents and what they are doing.
    List(list::List),
    /// List, edit or withdraw the messages that wait for an agent.
    Queue(queue::Queue),
    /// Read an agent's screen.
    Read(read::Read),
    /// Give an agent another name.
    Rename(rename::Rename),
    /// Start an agent anew with the same profile.
    Restart(restart::Restart),
    /// Bring agents that have ended back into their conversations.
    Restore(restore::Restore),
    /// Send a message to an agent and say how far it got.
    Send(Box<send::Send>),
    /// Show one agent.
    Show(show::Show),
    /// Start an agent in a pane of its own.
    Spawn(Box<spawn::Spawn>),
    /// Wait until turns of agents have ended, or agents are gone or in need of a person.
    Wait(wait::Wait),
}

impl AgentVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Abort(it) => Box::new(it),
            Self::Adopt(it) => Box::new(it),
            Self::Approve(it) => Box::new(it),
            Self::Attach(it) => Box::new(it),
            Self::Close(it) => Box::new(it),
            Self::Delegate(it) => it,
            Self::Explain(it) => Box::new(it),
            Self::Kick(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Queue(it) => Box::new(it),
            Self::Read(it) => Box::new(it),
            Self::Rename(it) => Box::new(it),
            Self::Restart(it) => Box::new(it),
            Self::Restore(it) => Box::new(it),
            Self::Send(it) => it,
            Self::Show(it) => Box::new(it),
            Self::Spawn(it) => it,
            Self::Wait(it) => Box::new(it),
        }
    }
}
