//! The chat agents that Drover knows from inside.

/// A chat agent that can be asked, and mostly told, through something better than its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// pi, by the socket that our extension serves inside it.
    Pi,
    /// Codex, by the app-server of its own terminal program.
    Codex,
    /// Claude Code, by its status file and its hooks.
    Claude,
}

impl Kind {
    /// The kind of an engine's name.
    pub fn of(engine: &str) -> Option<Self> {
        match engine {
            "pi" => Some(Self::Pi),
            "codex" => Some(Self::Codex),
            "claude" => Some(Self::Claude),
            _ => None,
        }
    }

    /// The name of its engine, which is also that of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Codex => "codex",
            Self::Claude => "claude",
        }
    }

    /// Whether it serves a socket through which it is told, next to which typing is a makeshift.
    pub fn has_socket(self) -> bool {
        match self {
            Self::Pi | Self::Codex => true,
            Self::Claude => false,
        }
    }
}
