//! Ending a process with all that belongs to it, by identity and never by name.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, pidfd_send_signal};

use super::stat::{Identity, is_alive, pidfd};
use super::tree::{Process, tree_of};
use crate::poll;

/// What became of a process tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// The processes that are gone.
    pub ended: Vec<Process>,
    /// The processes that live in spite of everything.
    pub left: Vec<Process>,
}

/// Ends a process and all that belongs to it: HUP, TERM, KILL, up to `grace` between them.
///
/// The tree is looked at again before each signal, since what is told to end may start more.
pub fn end_tree(root: &Identity, agent_uid: Option<&str>, grace: Duration) -> Ended {
    let mut seen: BTreeMap<Identity, Process> = BTreeMap::new();
    for signal in [Signal::HUP, Signal::TERM, Signal::KILL] {
        let members = tree_of(root, agent_uid);
        for member in members {
            seen.insert(member.identity.clone(), member);
        }
        // Once seen, a process stays ours to end, even when it has moved out of the tree since.
        let handles: Vec<OwnedFd> = seen.keys().filter_map(pidfd).collect();
        if handles.is_empty() {
            break;
        }
        for handle in &handles {
            // The process may end between the look and the signal; that is what is wanted.
            let _ = pidfd_send_signal(handle, signal);
            // A stopped process takes no signal but KILL until it goes on.
            let _ = pidfd_send_signal(handle, Signal::CONT);
        }
        drover_core::step::reached("signal");
        wait_for_all(handles, grace);
    }
    let (left, ended) = seen.into_values().partition(|it| is_alive(&it.identity));
    Ended { ended, left }
}

fn wait_for_all(mut handles: Vec<OwnedFd>, grace: Duration) {
    let deadline = poll::deadline(grace);
    while !handles.is_empty() && !poll::is_over(deadline) {
        let ended: Vec<bool> = {
            let mut fds: Vec<_> = handles.iter().map(|it| PollFd::new(it, PollFlags::IN)).collect();
            if poll::until(&mut fds, deadline).is_err() {
                return;
            }
            fds.iter().map(|it| !it.revents().is_empty()).collect()
        };
        let mut ended = ended.into_iter();
        handles.retain(|_| !ended.next().unwrap_or(false));
    }
}
