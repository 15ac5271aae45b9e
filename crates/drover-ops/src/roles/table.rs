//! Who may use which verb: one long table, a row a verb, in the order of the nouns.

use drover_core::agent::Role;

/// Who may use a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every role, on everything of its project.
    Everyone,
    /// Every role; workers and reviewers within this.
    Within(Within),
    /// All but reviewers; workers within this.
    Workers(Within),
    /// Operators and coordinators.
    Leaders,
    /// People, and no agent whatever its role.
    People,
}

/// What workers and reviewers may use a verb on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// Their project.
    Project,
    /// Looking, and no more.
    Reading,
    /// Proposals, which wait in triage.
    Proposals,
    /// Ready tasks, for themselves.
    ForItself,
    /// Tasks they hold.
    Held,
    /// Rejecting the tasks they hold, as reviewers do.
    Rejecting,
    /// Those who lead the project.
    Leaders,
    /// What waits for the end of a turn.
    TurnsEnd,
    /// Their own workspace.
    OwnWorkspace,
    /// Messages of their own.
    OwnMessages,
    /// Changes of their own.
    OwnChanges,
}

impl Within {
    /// The words behind `may use <verb> only`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "in its own project",
            Self::Reading => "to look",
            Self::Proposals => "to propose",
            Self::ForItself => "to take a ready task for itself",
            Self::Held => "on a task it holds",
            Self::Rejecting => "to reject a task it holds",
            Self::Leaders => "towards a coordinator or operator of its project",
            Self::TurnsEnd => "for the end of a turn",
            Self::OwnWorkspace => "on its own workspace",
            Self::OwnMessages => "to change what it sent itself",
            Self::OwnChanges => "on what it did itself",
        }
    }
}

impl Who {
    /// Whether this role may use the verb at all.
    pub const fn includes(self, role: Role) -> bool {
        match self {
            Self::Everyone | Self::Within(_) => true,
            Self::Workers(_) => !matches!(role, Role::Reviewer),
            Self::Leaders => role.leads(),
            Self::People => false,
        }
    }
}

use Who::{Everyone, Leaders, People, Workers};
use Within::{ForItself, Held, OwnChanges, OwnMessages, OwnWorkspace, Project, Proposals};

/// Every verb of the command line. One that is missing here is refused to workers and reviewers.
pub const TABLE: &[(&str, Who)] = &[
    ("agent abort", Leaders),
    ("agent adopt", Leaders),
    ("agent approve", People),
    ("agent attach", Leaders),
    ("agent close", Leaders),
    ("agent delegate", Leaders),
    ("agent explain", Everyone),
    ("agent kick", Leaders),
    ("agent list", Everyone),
    ("agent queue", Who::Within(OwnMessages)),
    ("agent read", Everyone),
    ("agent rename", Leaders),
    ("agent restart", Leaders),
    ("agent restore", Leaders),
    ("agent send", Who::Within(Within::Leaders)),
    ("agent show", Everyone),
    ("agent spawn", Leaders),
    ("agent wait", Everyone),
    ("completions", Everyone),
    ("db backup", Leaders),
    ("db compact", People),
    ("db forget", People),
    ("demo", Leaders),
    ("dispatch", Leaders),
    ("doctor", Who::Within(Within::Reading)),
    ("link", People),
    ("log", Who::Within(Project)),
    ("man", Everyone),
    ("mcp", Everyone),
    ("me show", Everyone),
    ("me tasks", Everyone),
    ("me work", Workers(ForItself)),
    ("project archive", Leaders),
    ("project import", Leaders),
    ("project init", Leaders),
    ("project list", Leaders),
    ("project rename", Leaders),
    ("project set", Leaders),
    ("project show", Everyone),
    ("project teardown", People),
    // Looking at what is trusted changes nothing; trusting is refused to agents where it is done.
    ("project trust", Leaders),
    ("project unarchive", Leaders),
    ("rebuild", Leaders),
    ("run", Leaders),
    ("since", Who::Within(Project)),
    ("skill", Everyone),
    // A statement reads every project; changing rows is refused to agents where it is done.
    ("sql", Leaders),
    ("state", Who::Within(Project)),
    ("task add", Who::Within(Proposals)),
    ("task admit", Leaders),
    ("task block", Leaders),
    ("task claim", Workers(ForItself)),
    ("task close", Who::Within(Held)),
    ("task delete", Leaders),
    ("task export", Everyone),
    ("task import", Leaders),
    ("task list", Everyone),
    ("task next", Everyone),
    ("task note", Everyone),
    ("task notes", Everyone),
    ("task open", Leaders),
    ("task park", Leaders),
    ("task plan", Everyone),
    ("task release", Who::Within(Held)),
    ("task rename", Leaders),
    ("task reparent", Leaders),
    ("task show", Everyone),
    ("task tree", Everyone),
    ("task unblock", Leaders),
    ("task unpark", Leaders),
    ("task update", Leaders),
    ("task wait", Everyone),
    ("task why", Everyone),
    ("undo", Who::Within(OwnChanges)),
    ("unlink", People),
    ("workspace commits", Everyone),
    ("workspace diff", Everyone),
    ("workspace free", Leaders),
    ("workspace land", Leaders),
    ("workspace list", Who::Within(Project)),
    ("workspace orphans", Leaders),
    ("workspace path", Everyone),
    ("workspace refresh", Who::Within(OwnWorkspace)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_stands_once_and_in_order() {
        assert!(TABLE.windows(2).all(|it| it[0].0 < it[1].0));
    }

    #[test]
    fn a_narrower_role_may_use_nothing_that_a_wider_one_may_not() {
        for (verb, who) in TABLE {
            let may = Role::ALL.map(|role| who.includes(role));
            assert!(may.windows(2).all(|it| it[0] || !it[1]), "{verb}");
        }
    }
}
