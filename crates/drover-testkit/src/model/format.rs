//! What the three wire formats have in common: their names, the model's, and a call of a tool.

/// The one model that it has.
pub const MODEL: &str = "fake-1";

/// A wire format, by the end of its path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/messages`.
    Messages,
    /// `/v1/responses`.
    Responses,
}

impl Format {
    pub(super) fn of(path: &str) -> Option<Self> {
        [
            ("/chat/completions", Self::Chat),
            ("/messages", Self::Messages),
            ("/responses", Self::Responses),
        ]
        .into_iter()
        .find_map(|(end, format)| path.ends_with(end).then_some(format))
    }
}

/// A call of a tool, its arguments in JSON.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) arguments: String,
}
