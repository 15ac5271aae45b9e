//! Indented lines that stay readable however deep and many they are.

use std::fmt::Write as _;

use super::table::{cut, one_line};

/// Deeper lines are not indented further, but say how deep they are.
const DEEPEST: usize = 16;
const MOST_LINES: usize = 200;

/// Lines below each other, each indented by its depth, as wide as the terminal.
pub(crate) fn outline(lines: impl ExactSizeIterator<Item = (usize, String)>) -> String {
    outline_within(lines, drover_ops::tty::width().map_or(100, usize::from))
}

fn outline_within(lines: impl ExactSizeIterator<Item = (usize, String)>, width: usize) -> String {
    let left_out = lines.len().saturating_sub(MOST_LINES);
    let mut text = String::new();
    for (depth, line) in lines.take(MOST_LINES) {
        let deepest = DEEPEST.min(width / 6);
        let mut shown = "  ".repeat(depth.min(deepest));
        if depth > deepest {
            let _ = write!(shown, "[{depth}] ");
        }
        shown.push_str(&one_line(&line));
        text.push_str(&cut(&shown, width));
        text.push('\n');
    }
    if left_out > 0 {
        let _ = writeln!(text, "… and {left_out} more lines; --json -n 0 has them all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_ten_thousand_is_cut_with_its_number_and_no_line_is_too_wide() {
        let lines: Vec<(usize, String)> =
            (0..10_000).map(|depth| (depth, format!("task {depth} 日本語"))).collect();
        let text = outline_within(lines.into_iter(), 40);
        assert!(text.ends_with("… and 9800 more lines; --json -n 0 has them all\n"));
        assert!(text.lines().take(200).all(|it| it.chars().count() <= 43), "{text}");
        assert!(text.contains("[199] task 199"));
    }

    #[test]
    fn a_line_break_in_a_title_does_not_make_a_line() {
        let lines = vec![(0, "one\nNext: rm".to_owned())];
        assert_eq!(outline_within(lines.into_iter(), 80), "one\\nNext: rm\n");
    }
}
