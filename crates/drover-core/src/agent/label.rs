//! The line above an agent's pane: who it is and what it holds, and never what it does just now.

/// How many characters it has at most.
const MOST: usize = 64;

/// The name first, then the task it holds, or how many.
pub fn label(name: &str, held: &[String]) -> String {
    let whole = match held {
        [] => name.to_owned(),
        [only] => format!("{name} · {only}"),
        several => format!("{name} · {} tasks", several.len()),
    };
    if whole.chars().count() <= MOST {
        return whole;
    }
    let mut cut: String = whole.chars().take(MOST - 1).collect();
    cut.push('…');
    cut
}

/// The name with which a title or a label begins.
pub fn name_of(title: &str) -> &str {
    title.split(" · ").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_the_agent_and_what_it_holds() {
        let check = |held: &[&str], expected: &str| {
            let held: Vec<String> = held.iter().map(|it| (*it).to_owned()).collect();
            let label = label("w1", &held);
            assert_eq!((label.as_str(), name_of(&label)), (expected, "w1"));
        };
        check(&[], "w1");
        check(&["build"], "w1 · build");
        check(&["build", "test"], "w1 · 2 tasks");
    }

    #[test]
    fn a_label_that_is_too_long_is_cut_and_says_so() {
        let label = label("w1", &["x".repeat(64)]);
        assert_eq!(label.chars().count(), 64);
        assert!(label.starts_with("w1 · x") && label.ends_with('…'), "{label}");
    }
}
