//! Every outcome word and its one exit code; a table, held by a snapshot.

/// The words of success and refusal. A word is never renamed and never gets another code.
pub(crate) const OUTCOMES: &[(&str, u8)] = &[
    // Done.
    ("added", 0),
    ("already_undone", 0),
    ("appended", 0),
    ("claimed", 0),
    ("created", 0),
    ("exists", 0),
    ("help", 0),
    ("imported", 0),
    ("listed", 0),
    ("logged", 0),
    ("nothing_ready", 0),
    ("previewed", 0),
    ("revoked", 0),
    ("set", 0),
    ("shown", 0),
    ("told", 0),
    ("trusted", 0),
    ("undone", 0),
    // Drover's own failure.
    ("failed", 1),
    // The call's words are off.
    ("invalid_name", 2),
    ("plan_invalid", 2),
    ("project_unclear", 2),
    ("secret_refused", 2),
    ("usage", 2),
    // Unknown, or its own state forbids it.
    ("agent_unknown", 3),
    ("cross_project_edge", 3),
    ("cycle", 3),
    ("group_unknown", 3),
    ("people_only", 3),
    ("project_unknown", 3),
    ("task_blocked", 3),
    ("task_closed", 3),
    ("task_not_startable", 3),
    ("task_unknown", 3),
    ("trust_unknown", 3),
    ("undo_local_only", 3),
    // Another party or a newer change.
    ("database_foreign", 4),
    ("database_moved", 4),
    ("database_newer", 4),
    ("file_exists", 4),
    ("group_ambiguous", 4),
    ("key_conflict", 4),
    ("key_in_progress", 4),
    ("other_repository", 4),
    ("task_already_owned", 4),
    ("task_ambiguous", 4),
    ("task_elsewhere", 4),
    ("task_exists", 4),
    ("token_refused", 4),
    ("trust_ambiguous", 4),
    ("undo_superseded", 4),
    // The world or time.
    ("database_busy", 5),
    ("database_damaged", 5),
    ("disk_full", 5),
    ("file_failed", 5),
    ("program_failed", 5),
    ("program_missing", 5),
    ("program_timeout", 5),
    ("state_unusable", 5),
    // Dead, done in part, or unproven.
    ("uncertain", 6),
];

/// The exit code of an outcome word; an unlisted word is a failure of ours.
pub(crate) fn exit_code(word: &str) -> u8 {
    OUTCOMES.iter().find(|it| it.0 == word).map_or(1, |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::OUTCOMES;

    #[test]
    fn every_word_stands_once_in_order_below_its_code() {
        for pair in OUTCOMES.windows(2) {
            let [one, two] = pair else { continue };
            assert!((one.1, one.0) < (two.1, two.0), "{one:?} before {two:?}");
        }
    }
}
