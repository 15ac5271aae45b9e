//! The outcome words of waits.

use drover_ops::waits::End;

/// The word of how a wait ended.
pub(crate) fn outcome(end: End) -> &'static str {
    match end {
        End::Reached => "reached",
        End::Died => "agent_dead",
        End::NeedsPerson => "needs_person",
        End::Deleted => "task_deleted",
        End::TimedOut => "timed_out",
        End::Interrupted => "interrupted",
    }
}
