//! A schedule as one self-contained SVG picture, without scripts or links.

use std::fmt::Write as _;

use super::gantt::{Bar, days};
use super::table::{cut, one_line};

/// How a file of ours begins, by which it is known again.
pub(crate) const MARK: &str = "<!-- Written by drover task plan; a later plan replaces it. -->\n";
/// More lines are not drawn: no viewer scrolls through them.
const MOST_LINES: usize = 2_000;
const LINE: usize = 22;
const LABEL_WIDTH: usize = 260;
const BAR_WIDTH: usize = 700;
const TOP: usize = 56;
const STYLE: &str = "<style>text{font:12px sans-serif;fill:#222}.axis{stroke:#ccc}.bar{fill:#9db8d2;stroke:#46617c}\
.critical{fill:#d2704a;stroke:#7c2f14;stroke-width:2}</style>\n";

/// The bars below each other, to scale, with a title and a time axis.
pub(crate) fn svg(title: &str, bars: &[Bar], total: f64) -> String {
    let shown = bars.get(..bars.len().min(MOST_LINES)).unwrap_or_default();
    let left_out = bars.len() - shown.len();
    let height = TOP + LINE * (shown.len() + 1 + usize::from(left_out > 0));
    let width = LABEL_WIDTH + BAR_WIDTH + 40;
    let mut text = String::from(MARK);
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">"
    );
    let title = escaped(title);
    let _ = writeln!(text, "<title>{title}</title>\n{STYLE}<text x=\"8\" y=\"20\">{title}</text>");
    axis(&mut text, total, height);
    for (row, bar) in shown.iter().enumerate() {
        line(&mut text, bar, total, TOP + LINE * row);
    }
    if left_out > 0 {
        let y = TOP + LINE * shown.len() + 15;
        let _ = writeln!(text, "<text x=\"8\" y=\"{y}\">… and {left_out} more tasks</text>");
    }
    text.push_str("</svg>\n");
    text
}

/// Five marks from now to the end.
fn axis(text: &mut String, total: f64, height: usize) {
    for part in 0..5_u8 {
        let share = f64::from(part) / 4.0;
        let x = column(share);
        let _ = writeln!(
            text,
            "<line class=\"axis\" x1=\"{x:.1}\" y1=\"44\" x2=\"{x:.1}\" y2=\"{height}\"/><text x=\"{x:.1}\" y=\"40\" \
             text-anchor=\"middle\">{} d</text>",
            days(total * share)
        );
    }
}

fn line(text: &mut String, bar: &Bar, total: f64, y: usize) {
    let share = |days: f64| if total > 0.0 { (days / total).clamp(0.0, 1.0) } else { 0.0 };
    let (from, to) = (column(share(bar.start)), column(share(bar.finish)));
    let label = one_line(&bar.label);
    let class = if bar.is_critical { "bar critical" } else { "bar" };
    let hint = format!(
        "{label}: worker {}, day {} to {}{}",
        bar.worker,
        days(bar.start),
        days(bar.finish),
        if bar.is_critical { ", critical" } else { "" }
    );
    let _ = writeln!(
        text,
        "<g><title>{}</title><text x=\"8\" y=\"{}\">{}</text><rect class=\"{class}\" x=\"{from:.1}\" y=\"{}\" \
         width=\"{:.1}\" height=\"14\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">w{}</text></g>",
        escaped(&hint),
        y + 12,
        escaped(&cut(&label, 32)),
        y + 1,
        (to - from).max(1.0),
        LABEL_WIDTH - 8,
        y + 12,
        bar.worker,
    );
}

fn column(share: f64) -> f64 {
    let [left, width] = [LABEL_WIDTH, BAR_WIDTH].map(|it| u16::try_from(it).map_or(0.0, f64::from));
    left + width * share
}

/// Text as XML takes it; what XML has no form for is an escape already.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, start: f64, finish: f64, is_critical: bool) -> Bar {
        Bar { label: label.to_owned(), worker: 1, start, finish, is_critical }
    }

    #[test]
    fn bars_stand_to_scale_and_the_critical_ones_are_marked() {
        let text = svg("web", &[bar("a", 0.0, 1.0, true), bar("b", 1.0, 4.0, false)], 4.0);
        assert!(text.starts_with(MARK) && text.ends_with("</svg>\n"));
        assert!(text.contains("<rect class=\"bar critical\" x=\"260.0\" y=\"57\" width=\"175.0\""));
        assert!(text.contains("<rect class=\"bar\" x=\"435.0\" y=\"79\" width=\"525.0\""));
        assert!(text.contains("b: worker 1, day 1 to 4<"));
    }

    #[test]
    fn no_text_of_a_task_becomes_a_part_of_the_picture() {
        let text = svg("<b>", &[bar("x</text><script>\u{1}\"&", 0.0, 0.0, false)], 0.0);
        assert!(!text.contains("<script>") && !text.contains("<b>") && !text.contains('\u{1}'));
        assert!(text.contains("x&lt;/text&gt;&lt;script&gt;\\u{1}&quot;&amp;"));
        assert!(!text.contains("NaN"));
    }

    #[test]
    fn a_huge_plan_is_drawn_within_bounds_and_says_what_is_left_out() {
        let bars = vec![bar("t", 0.0, 1.0, false); 2_003];
        let text = svg("web", &bars, 1.0);
        assert_eq!(text.matches("<rect").count(), 2_000);
        assert!(text.contains("… and 3 more tasks"));
    }
}
