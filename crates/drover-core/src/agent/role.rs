//! What an agent is in its project.

/// What an agent is in its project, which says what it may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Runs the project.
    Operator,
    /// Runs the project on somebody's behalf.
    Coordinator,
    /// Takes tasks and works on them.
    Worker,
    /// Looks at what others did.
    Reviewer,
}

impl Role {
    /// Every role, the widest first.
    pub const ALL: [Self; 4] = [Self::Operator, Self::Coordinator, Self::Worker, Self::Reviewer];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Coordinator => "coordinator",
            Self::Worker => "worker",
            Self::Reviewer => "reviewer",
        }
    }

    /// The role of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == word)
    }

    /// Whether it runs the project, rather than works in it.
    pub const fn leads(self) -> bool {
        matches!(self, Self::Operator | Self::Coordinator)
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}
