//! What the words behind the stand-in's own say: the conversation, and where its hooks are.

/// The words that a launch adds.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Session {
    words: Vec<String>,
}

impl Session {
    pub(super) fn of(words: &[String]) -> Self {
        Self { words: words.to_vec() }
    }

    /// The id of the conversation.
    pub(super) fn id(&self) -> String {
        let given = ["--session-id", "--session", "--resume"].iter().find_map(|it| self.value(it));
        given.unwrap_or("a-conversation-of-its-own").to_owned()
    }

    /// The value of an option.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        let place = self.words.iter().position(|it| it == option)?;
        self.words.get(place + 1).map(String::as_str)
    }
}
