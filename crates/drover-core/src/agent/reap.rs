//! Whether an agent is provably gone; a server that does not answer proves nothing.

use super::probe::{BootProbe, ExitInfo, PaneListing, PaneOwner, PaneProbe, Probe, ProcessProbe};

/// What a look at an agent's binding proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reap {
    /// Its process lives in its pane.
    Alive,
    /// It is gone: its tasks are to be released.
    Gone {
        /// The proof, in words.
        proof: &'static str,
        /// How it ended, as far as known.
        exit: ExitInfo,
        /// Whether the pane is still there and still ours, so that closing may remove it.
        pane_is_ours: bool,
    },
    /// Nothing is proven; nothing may be released and nothing typed.
    Unknown {
        /// Why not.
        reason: String,
    },
}

/// Says what `probe` proves about an agent that was bound.
pub fn verdict(probe: &Probe) -> Reap {
    if probe.boot == BootProbe::Changed {
        return gone("the machine was restarted");
    }
    match &probe.pane {
        PaneProbe::ServerDead => gone("its multiplexer server is gone"),
        PaneProbe::NoAnswer { reason } => Reap::Unknown { reason: reason.clone() },
        PaneProbe::Answered(PaneListing::NotListed) => gone("its pane is gone"),
        PaneProbe::Answered(PaneListing::Listed { owner, dead }) => {
            listed(*owner, *dead, &probe.process)
        }
    }
}

fn listed(owner: PaneOwner, dead: Option<ExitInfo>, process: &ProcessProbe) -> Reap {
    match owner {
        PaneOwner::Stranger => gone("its pane id belongs to another agent"),
        PaneOwner::Unmarked { same_process: false } => gone("its pane id belongs to another pane"),
        PaneOwner::Ours | PaneOwner::Unmarked { same_process: true } => match (dead, process) {
            (Some(exit), _) => {
                Reap::Gone { proof: "its process ended in its pane", exit, pane_is_ours: true }
            }
            (None, ProcessProbe::Gone) => Reap::Gone {
                proof: "its process ended and another runs in its pane",
                exit: ExitInfo::default(),
                pane_is_ours: false,
            },
            // The server speaks for the process that it runs.
            (None, ProcessProbe::Alive | ProcessProbe::Unknown { .. }) => Reap::Alive,
        },
    }
}

fn gone(proof: &'static str) -> Reap {
    Reap::Gone { proof, exit: ExitInfo::default(), pane_is_ours: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(pane: PaneProbe) -> Probe {
        Probe { boot: BootProbe::Same, pane, process: ProcessProbe::Alive }
    }

    fn listed_as(owner: PaneOwner) -> Probe {
        probe(PaneProbe::Answered(PaneListing::Listed { owner, dead: None }))
    }

    fn is_gone(probe: &Probe) -> bool {
        matches!(verdict(probe), Reap::Gone { .. })
    }

    /// Fault P-22.
    #[test]
    fn a_server_that_does_not_answer_reaps_nothing_even_if_the_process_is_gone() {
        let mut silent = probe(PaneProbe::NoAnswer { reason: "no answer in 2 s".to_owned() });
        silent.process = ProcessProbe::Gone;
        assert_eq!(verdict(&silent), Reap::Unknown { reason: "no answer in 2 s".to_owned() });
    }

    #[test]
    fn a_restarted_machine_is_proof_even_if_no_server_answers() {
        let mut silent = probe(PaneProbe::NoAnswer { reason: "no socket".to_owned() });
        silent.boot = BootProbe::Changed;
        assert!(is_gone(&silent));
        silent.boot = BootProbe::Unknown;
        assert!(!is_gone(&silent));
    }

    #[test]
    fn a_dead_server_and_a_pane_not_listed_are_proof() {
        assert!(is_gone(&probe(PaneProbe::ServerDead)));
        assert!(is_gone(&probe(PaneProbe::Answered(PaneListing::NotListed))));
    }

    #[test]
    fn a_pane_that_is_listed_and_ours_is_alive() {
        assert_eq!(verdict(&listed_as(PaneOwner::Ours)), Reap::Alive);
        assert_eq!(verdict(&listed_as(PaneOwner::Unmarked { same_process: true })), Reap::Alive);
    }

    #[test]
    fn a_pane_id_used_again_by_a_stranger_is_gone_and_never_ours_to_touch() {
        for owner in [PaneOwner::Stranger, PaneOwner::Unmarked { same_process: false }] {
            assert!(matches!(verdict(&listed_as(owner)), Reap::Gone { pane_is_ours: false, .. }));
        }
    }

    #[test]
    fn a_kept_dead_pane_tells_how_its_process_ended() {
        let exit = ExitInfo { status: None, signal: Some(9), at: None };
        let dead = PaneListing::Listed { owner: PaneOwner::Ours, dead: Some(exit) };
        assert_eq!(
            verdict(&probe(PaneProbe::Answered(dead))),
            Reap::Gone { proof: "its process ended in its pane", exit, pane_is_ours: true }
        );
    }

    /// Fault P-08.
    #[test]
    fn another_process_in_the_pane_does_not_stand_for_the_agent() {
        let mut respawned = listed_as(PaneOwner::Ours);
        respawned.process = ProcessProbe::Gone;
        assert!(is_gone(&respawned));
    }
}
