//! The states of a task: the legal pairs of status and substate, and no other.

use std::fmt;

use crate::word::word_enum;

word_enum! {
    /// The first half of a state.
    pub enum Status("status") {
        /// Not begun.
        Open = "OPEN",
        /// Begun.
        InProgress = "IN_PROGRESS",
        /// Over.
        Closed = "CLOSED",
    }
}

/// A state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// OPEN/todo: to be done.
    Todo,
    /// OPEN/parked: set aside on purpose.
    Parked,
    /// OPEN/triage: proposed, not admitted.
    Triage,
    /// `IN_PROGRESS`/active: somebody is on it.
    Active,
    /// CLOSED/done: done; the only state that satisfies an edge.
    Done,
    /// CLOSED/rejected: not to be done.
    Rejected,
    /// CLOSED/wontfix: right, and not to be done.
    Wontfix,
    /// CLOSED/duplicate: another task says the same.
    Duplicate,
    /// CLOSED/superseded: another task replaces it.
    Superseded,
}

/// A text or pair that is not a state of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a task state; it is one of {}", State::all_words())]
pub struct StateError {
    /// The text.
    pub given: String,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 9] = [
        Self::Todo,
        Self::Parked,
        Self::Triage,
        Self::Active,
        Self::Done,
        Self::Rejected,
        Self::Wontfix,
        Self::Duplicate,
        Self::Superseded,
    ];

    /// The first half.
    pub fn status(self) -> Status {
        match self {
            Self::Todo | Self::Parked | Self::Triage => Status::Open,
            Self::Active => Status::InProgress,
            Self::Done | Self::Rejected | Self::Wontfix | Self::Duplicate | Self::Superseded => {
                Status::Closed
            }
        }
    }

    /// The second half.
    pub fn substate(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Parked => "parked",
            Self::Triage => "triage",
            Self::Active => "active",
            Self::Done => "done",
            Self::Rejected => "rejected",
            Self::Wontfix => "wontfix",
            Self::Duplicate => "duplicate",
            Self::Superseded => "superseded",
        }
    }

    /// The state of a stored pair.
    pub fn from_pair(status: &str, substate: &str) -> Result<Self, StateError> {
        Self::ALL
            .into_iter()
            .find(|state| state.status().as_str() == status && state.substate() == substate)
            .ok_or_else(|| StateError { given: format!("{status}/{substate}") })
    }

    /// Reads `STATUS` or `STATUS/substate` in any case; a bare status is its default pair.
    pub fn parse(text: &str) -> Result<Self, StateError> {
        Self::ALL
            .into_iter()
            .find(|state| {
                state.full().eq_ignore_ascii_case(text)
                    || (state.is_default() && state.status().as_str().eq_ignore_ascii_case(text))
            })
            .ok_or_else(|| StateError { given: text.to_owned() })
    }

    /// `STATUS/substate`, the default pair too.
    pub fn full(self) -> String {
        format!("{}/{}", self.status(), self.substate())
    }

    /// Whether the bare status means this state.
    pub fn is_default(self) -> bool {
        matches!(self, Self::Todo | Self::Active | Self::Done)
    }

    /// Whether the task is over, one way or another.
    pub fn is_closed(self) -> bool {
        self.status() == Status::Closed
    }

    /// Whether what waits for this task may go on.
    pub fn satisfies_edge(self) -> bool {
        self == Self::Done
    }

    fn all_words() -> String {
        Self::ALL.map(Self::full).join(", ")
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_default() {
            formatter.pad(self.status().as_str())
        } else {
            formatter.pad(&self.full())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_back_from_each_of_its_forms() {
        for state in State::ALL {
            assert_eq!(State::parse(&state.to_string()), Ok(state));
            assert_eq!(State::parse(&state.full().to_lowercase()), Ok(state));
            assert_eq!(State::from_pair(state.status().as_str(), state.substate()), Ok(state));
        }
    }

    #[test]
    fn a_default_pair_prints_its_bare_status() {
        assert_eq!(State::Todo.to_string(), "OPEN");
        assert_eq!(State::Active.to_string(), "IN_PROGRESS");
        assert_eq!(State::Wontfix.to_string(), "CLOSED/wontfix");
    }

    #[test]
    fn pairs_that_do_not_belong_together_are_refused() {
        assert!(State::from_pair("OPEN", "done").is_err());
        assert!(State::parse("OPEN/active").is_err());
        assert!(State::parse("OPEN, ").is_err());
        assert!(State::parse("").is_err());
    }

    #[test]
    fn only_done_satisfies_an_edge() {
        let satisfying: Vec<State> =
            State::ALL.into_iter().filter(|state| state.satisfies_edge()).collect();
        assert_eq!(satisfying, [State::Done]);
    }
}
