//! Every outcome word and its one exit code; a table, held by a snapshot.

/// The words of success and refusal. A word is never renamed and never gets another code.
pub(crate) const OUTCOMES: &[(&str, u8)] = &[
    // Done.
    ("added", 0),
    ("already_closed", 0),
    ("already_landed", 0),
    ("already_undone", 0),
    ("appended", 0),
    ("attached", 0),
    ("claimed", 0),
    ("closed", 0),
    ("copied", 0),
    ("created", 0),
    ("current", 0),
    ("examined", 0),
    ("exists", 0),
    ("explained", 0),
    ("freed", 0),
    ("help", 0),
    ("imported", 0),
    ("kicked", 0),
    ("landed", 0),
    ("listed", 0),
    ("logged", 0),
    ("nothing_ready", 0),
    ("preview", 0),
    ("refreshed", 0),
    ("renamed", 0),
    ("restarted", 0),
    ("revoked", 0),
    ("set", 0),
    ("shown", 0),
    ("spawned", 0),
    ("told", 0),
    ("trusted", 0),
    ("undone", 0),
    // Drover's own failure.
    ("failed", 1),
    // The call's words are off.
    ("config_refused", 2),
    ("invalid_name", 2),
    ("plan_invalid", 2),
    ("project_unclear", 2),
    ("secret_refused", 2),
    ("usage", 2),
    // Unknown, or its own state forbids it.
    ("agent_unknown", 3),
    ("cross_project_edge", 3),
    ("cycle", 3),
    ("directory_unusable", 3),
    ("engine_missing", 3),
    ("group_unknown", 3),
    ("no_commits", 3),
    ("no_pane", 3),
    ("no_repository", 3),
    ("not_a_checkout", 3),
    ("not_a_repository", 3),
    ("not_running", 3),
    ("nothing_to_kick", 3),
    ("operation_in_progress", 3),
    ("people_only", 3),
    ("project_unknown", 3),
    ("revision_unknown", 3),
    ("task_blocked", 3),
    ("task_closed", 3),
    ("task_not_startable", 3),
    ("task_unknown", 3),
    ("trunk_missing", 3),
    ("trust_unknown", 3),
    ("undo_local_only", 3),
    ("verify_failed", 3),
    ("workspace_dirty", 3),
    ("workspace_held", 3),
    ("workspace_missing", 3),
    ("workspace_not_safe", 3),
    ("workspace_off_branch", 3),
    ("workspace_unfinished", 3),
    ("workspace_unknown", 3),
    // Another party or a newer change.
    ("agent_exists", 4),
    ("branch_blocked", 4),
    ("branch_checked_out", 4),
    ("branch_exists", 4),
    ("database_foreign", 4),
    ("database_moved", 4),
    ("database_newer", 4),
    ("directory_exists", 4),
    ("file_exists", 4),
    ("group_ambiguous", 4),
    ("key_conflict", 4),
    ("key_in_progress", 4),
    ("other_repository", 4),
    ("target_moved", 4),
    ("task_already_owned", 4),
    ("task_ambiguous", 4),
    ("task_elsewhere", 4),
    ("task_exists", 4),
    ("token_refused", 4),
    ("trust_ambiguous", 4),
    ("undo_superseded", 4),
    ("workspace_conflict", 4),
    // The world or time.
    ("checkout_failed", 5),
    ("database_busy", 5),
    ("database_damaged", 5),
    ("defects_found", 5),
    ("disk_full", 5),
    ("file_failed", 5),
    ("locked", 5),
    ("mux_failed", 5),
    ("mux_missing", 5),
    ("mux_silent", 5),
    ("mux_too_old", 5),
    ("program_failed", 5),
    ("program_missing", 5),
    ("program_timeout", 5),
    ("repository_gone", 5),
    ("setup_failed", 5),
    ("state_unusable", 5),
    // Dead, done in part, or unproven.
    ("closed_in_part", 6),
    ("not_started", 6),
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
