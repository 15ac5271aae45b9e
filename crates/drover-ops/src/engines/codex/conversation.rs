//! Which of the conversations of an app-server the agent's terminal shows.

use drover_host::control::codex::Thread;

/// What an app-server's terminal shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown<'a> {
    /// Nothing yet.
    Nothing,
    /// This conversation.
    Conversation(&'a Thread),
    /// One of several, and nothing says which.
    OneOf(usize),
}

/// The conversation that is shown: the only one, else the one that was last seen begun, taken up or at work.
///
/// The app-server is the agent's alone, so no other agent's can be among them, wherever it works.
pub(crate) fn shown<'a>(threads: &'a [Thread], last_seen: Option<&str>) -> Shown<'a> {
    let conversations: Vec<&Thread> = threads.iter().filter(|it| it.is_conversation()).collect();
    match conversations.as_slice() {
        [] => Shown::Nothing,
        [only] => Shown::Conversation(only),
        several => several
            .iter()
            .find(|it| Some(it.id.as_str()) == last_seen)
            .map_or(Shown::OneOf(several.len()), |it| Shown::Conversation(it)),
    }
}

#[cfg(test)]
mod tests {
    use drover_host::control::codex::Status;

    use super::*;

    fn thread(id: &str, source: &str) -> Thread {
        Thread {
            id: id.to_owned(),
            status: Status::Idle,
            ephemeral: false,
            parent_thread_id: None,
            thread_source: Some(source.to_owned()),
            path: None,
        }
    }

    #[test]
    fn codexs_own_threads_and_those_of_helpers_are_no_conversation_of_the_agent() {
        let helper = Thread { parent_thread_id: Some("a".to_owned()), ..thread("h", "user") };
        let threads = [thread("a", "user"), thread("t", "thread_title"), helper];
        assert_eq!(shown(&threads, None), Shown::Conversation(&threads[0]));
        assert_eq!(shown(&threads[1..], None), Shown::Nothing);
    }

    #[test]
    fn among_several_only_the_one_that_was_seen_is_taken() {
        let threads = [thread("a", "user"), thread("b", "user")];
        assert_eq!(shown(&threads, Some("b")), Shown::Conversation(&threads[1]));
        assert_eq!(shown(&threads, Some("gone")), Shown::OneOf(2));
        assert_eq!(shown(&threads, None), Shown::OneOf(2));
    }
}
