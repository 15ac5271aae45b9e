//! Which evidence still speaks for the work as it is.

/// For each piece of evidence, oldest first and by the commit it was taken on, whether later
/// evidence was taken on another commit: then it speaks for work that has changed since.
pub fn stale(commits: &[Option<&str>]) -> Vec<bool> {
    let newest = commits.iter().rev().find_map(|it| *it);
    commits.iter().map(|commit| commit.is_some() && *commit != newest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_stale_once_a_later_piece_was_taken_on_another_commit() {
        assert_eq!(stale(&[Some("a"), None, Some("b"), Some("b")]), [true, false, false, false]);
        assert_eq!(stale(&[Some("a"), Some("b"), Some("a")]), [false, true, false]);
    }

    #[test]
    fn what_was_said_of_no_commit_is_never_stale() {
        assert_eq!(stale(&[None, Some("a"), None]), [false, false, false]);
        assert!(stale(&[]).is_empty());
    }
}
