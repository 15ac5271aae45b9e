//! Closing a task: which word it gets, and what that word needs.

use super::state::State;
use crate::word::word_enum;

word_enum! {
    /// How a task is closed.
    pub enum Closing("way to close a task") {
        /// It is done; the only way that lets its dependents start.
        Done = "done",
        /// It is not to be done.
        Rejected = "rejected",
        /// It is right, and not to be done.
        Wontfix = "wontfix",
        /// Another task says the same.
        Duplicate = "duplicate",
        /// Another task replaces it.
        Superseded = "superseded",
    }
}

impl Closing {
    /// The state it leads to.
    pub fn state(self) -> State {
        match self {
            Self::Done => State::Done,
            Self::Rejected => State::Rejected,
            Self::Wontfix => State::Wontfix,
            Self::Duplicate => State::Duplicate,
            Self::Superseded => State::Superseded,
        }
    }

    /// How a closed task was closed.
    pub fn of(state: State) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.state() == state)
    }
}

/// What speaks for a task being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The caller's word.
    Word,
    /// Its verify command passed.
    Passed,
    /// Its verify command did not pass, and the caller says why that is accepted.
    Waived,
}

/// What a caller asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The way, when one is named.
    pub closing: Option<Closing>,
    /// Whether a reason is given.
    pub has_why: bool,
    /// What speaks for it.
    pub proof: Proof,
}

/// What a request to close comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The task is closed so already.
    Stands(Closing),
    /// The task is closed so now.
    Closes(Closing),
}

impl Decision {
    /// How the task is closed then.
    pub fn closing(self) -> Closing {
        match self {
            Self::Stands(closing) | Self::Closes(closing) => closing,
        }
    }
}

/// Why a task may not be closed as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CloseError {
    /// A way that needs a reason came without one.
    #[error("closing as {0} needs --why")]
    WhyMissing(Closing),
    /// Passing over the verify command needs a reason.
    #[error("--unverified needs --why")]
    WaiverWithoutWhy,
    /// There is nothing to pass over.
    #[error("--unverified passes over a verify command, and here is none to pass")]
    NothingToWaive,
    /// The task has a verify command, and it did not pass.
    #[error("it has a verify command that must pass first")]
    VerifyRequired,
}

/// Decides a request to close a task in `state`; `needs_proof` says that it has a verify command.
///
/// Without a word a closed task stays as it is, so that a bare repeat never turns a rejection into
/// something that lets dependents start.
pub fn decide(state: State, needs_proof: bool, ask: Ask) -> Result<Decision, CloseError> {
    let current = Closing::of(state);
    let closing = ask.closing.or(current).unwrap_or(Closing::Done);
    if ask.proof == Proof::Waived && (closing != Closing::Done || !needs_proof) {
        return Err(CloseError::NothingToWaive);
    }
    if current == Some(closing) {
        return Ok(Decision::Stands(closing));
    }
    match (closing, ask.proof) {
        (Closing::Done, Proof::Word) if needs_proof => Err(CloseError::VerifyRequired),
        (Closing::Done, Proof::Waived) if !ask.has_why => Err(CloseError::WaiverWithoutWhy),
        (Closing::Done, _) => Ok(Decision::Closes(closing)),
        _ if !ask.has_why => Err(CloseError::WhyMissing(closing)),
        _ => Ok(Decision::Closes(closing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Ask = Ask { closing: None, has_why: false, proof: Proof::Word };

    fn named(closing: Closing) -> Ask {
        Ask { closing: Some(closing), ..BARE }
    }

    #[test]
    fn every_word_leads_to_its_own_closed_state() {
        for closing in Closing::ALL {
            assert!(closing.state().is_closed());
            assert_eq!(closing.state().substate(), closing.as_str());
            assert_eq!(Closing::of(closing.state()), Some(*closing));
        }
        assert_eq!(Closing::of(State::Active), None);
    }

    #[test]
    fn a_bare_close_means_done_and_a_bare_repeat_changes_nothing() {
        assert_eq!(decide(State::Todo, false, BARE), Ok(Decision::Closes(Closing::Done)));
        for closing in Closing::ALL {
            assert_eq!(decide(closing.state(), true, BARE), Ok(Decision::Stands(*closing)));
        }
    }

    #[test]
    fn every_word_but_done_needs_a_reason() {
        for closing in Closing::ALL.iter().copied().filter(|it| *it != Closing::Done) {
            let refused = decide(State::Active, true, named(closing));
            assert_eq!(refused, Err(CloseError::WhyMissing(closing)));
            let reasoned = Ask { has_why: true, ..named(closing) };
            assert_eq!(decide(State::Done, true, reasoned), Ok(Decision::Closes(closing)));
        }
    }

    #[test]
    fn a_verify_command_is_passed_or_passed_over_with_a_reason() {
        let closes = Ok(Decision::Closes(Closing::Done));
        assert_eq!(decide(State::Active, true, BARE), Err(CloseError::VerifyRequired));
        assert_eq!(decide(State::Active, true, Ask { proof: Proof::Passed, ..BARE }), closes);
        let waived = Ask { proof: Proof::Waived, ..BARE };
        assert_eq!(decide(State::Active, true, waived), Err(CloseError::WaiverWithoutWhy));
        assert_eq!(decide(State::Active, true, Ask { has_why: true, ..waived }), closes);
        assert_eq!(decide(State::Active, false, waived), Err(CloseError::NothingToWaive));
    }

    #[test]
    fn a_rejection_becomes_done_only_when_that_is_named_and_proven() {
        let done = named(Closing::Done);
        assert_eq!(decide(State::Rejected, true, done), Err(CloseError::VerifyRequired));
        assert_eq!(decide(State::Rejected, false, done), Ok(Decision::Closes(Closing::Done)));
    }
}
