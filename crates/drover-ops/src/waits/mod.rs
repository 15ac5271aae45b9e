//! Waiting for agents and tasks: ended by commits, deaths and screens, never by a sleep.

mod agents;
mod answer;
mod look;
#[cfg(test)]
mod made;
mod need;
mod stall;
mod tasks;

use std::time::Duration;

/// An engine may tell that a turn has ended before it tells what was said in it.
pub(crate) const WORDS_FOLLOW: Duration = Duration::from_secs(1);

pub use agents::{AgentWait, AgentWaited, WaitedAgent, wait_for_agents};
pub use answer::{Answer, wait_for_answer};
pub use need::{AgentState, End, Need, OnStall, TaskState};
pub use tasks::{TaskWait, TaskWaited, WaitedTask, wait_for_tasks};
