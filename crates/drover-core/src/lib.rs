//! Drover's pure rules: no I/O, no clock, no randomness.
//!
//! | module | rules |
//! | --- | --- |
//! | [`agent`] | the stored life of an agent, what it is doing now, whether it is provably gone, what its screen shows |
//! | [`dispatch`] | which idle agent gets which ready task |
//! | [`duration`] | the grammar of time limits |
//! | [`id`] | uids of rows |
//! | [`message`] | the text that is sent, how far it got, who it is from |
//! | [`name`] | names of projects, agents and tasks |
//! | [`shell`] | words on a line that any shell reads alike |
//! | [`step`] | the points at which the crash walk may end the process |
//! | [`task`] | states, owned paths, graph, tracks, readiness, schedule |
//! | [`text`] | free text without secrets |
//! | [`usage`] | tokens, money, budgets |
//! | [`word`] | closed sets of words |

pub mod agent;
pub mod dispatch;
pub mod duration;
mod hex;
pub mod id;
pub mod message;
pub mod name;
pub mod shell;
pub mod step;
pub mod task;
pub mod text;
pub mod usage;
pub mod word;
pub mod workspace;
