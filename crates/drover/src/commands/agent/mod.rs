//! `drover agent`.

mod card;
mod close;
mod list;
mod queue;
mod send;
mod show;
mod spawn;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum AgentVerb {
    /// End an agent and free its name.
    Close(close::Close),
    /// List the agents and what they are doing.
    List(list::List),
    /// List, edit or withdraw the messages that wait for an agent.
    Queue(queue::Queue),
    /// Send a message to an agent and say how far it got.
    Send(Box<send::Send>),
    /// Show one agent.
    Show(show::Show),
    /// Start an agent in a pane of its own.
    Spawn(spawn::Spawn),
}

impl AgentVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Close(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Queue(it) => Box::new(it),
            Self::Send(it) => it,
            Self::Show(it) => Box::new(it),
            Self::Spawn(it) => Box::new(it),
        }
    }
}
