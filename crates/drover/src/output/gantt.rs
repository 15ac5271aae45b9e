//! A schedule as bars, no line wider than the terminal.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::table::{cut, one_line};

const MOST_LINES: usize = 200;
const LEAST_BAR: usize = 4;

/// One task on one worker.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) worker: usize,
    pub(crate) start: f64,
    pub(crate) finish: f64,
    /// Drawn full; others are drawn light.
    pub(crate) is_critical: bool,
}

/// Bars below each other, as wide as the terminal.
pub(crate) fn gantt(bars: &[Bar], total: f64) -> String {
    gantt_within(bars, total, drover_ops::tty::width().map_or(100, usize::from))
}

/// A number of days without needless decimals.
pub(crate) fn days(days: f64) -> String {
    let text = format!("{days:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn gantt_within(bars: &[Bar], total: f64, width: usize) -> String {
    let shown = bars.get(..bars.len().min(MOST_LINES)).unwrap_or_default();
    let labels: Vec<String> =
        shown.iter().map(|it| cut(&one_line(&it.label), (width / 3).clamp(4, 24))).collect();
    let workers: Vec<String> = shown.iter().map(|it| format!("w{}", it.worker)).collect();
    let times: Vec<String> =
        shown.iter().map(|it| format!("{}-{}", days(it.start), days(it.finish))).collect();
    let [label_width, worker_width, time_width] = [&labels, &workers, &times]
        .map(|column| column.iter().map(|it| it.width()).max().unwrap_or(0));
    let taken = label_width + worker_width + time_width + 6;
    let (bar_width, has_times) = match width.saturating_sub(taken) {
        room if room >= LEAST_BAR => (room, true),
        _ => (width.saturating_sub(label_width + worker_width + 4).max(LEAST_BAR), false),
    };
    let mut text = String::new();
    for (((bar, label), worker), time) in shown.iter().zip(&labels).zip(&workers).zip(&times) {
        let pad = " ".repeat(label_width.saturating_sub(label.width()));
        let mut line =
            format!("{label}{pad}  {worker:worker_width$}  {}", drawn(bar, total, bar_width));
        if has_times {
            let _ = write!(line, "  {time}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if bars.len() > shown.len() {
        let _ = writeln!(
            text,
            "… and {} more tasks; --json -n 0 has them all",
            bars.len() - shown.len()
        );
    }
    text
}

fn drawn(bar: &Bar, total: f64, width: usize) -> String {
    let column = |days: f64| {
        let share = if total > 0.0 { (days / total).clamp(0.0, 1.0) } else { 0.0 };
        (0..width).take_while(|it| cells(*it + 1) <= share * cells(width)).count()
    };
    let start = column(bar.start).min(width.saturating_sub(1));
    let finish = column(bar.finish).max(start + 1);
    let fill = if bar.is_critical { "█" } else { "░" };
    format!("{}{}{}", "·".repeat(start), fill.repeat(finish - start), "·".repeat(width - finish))
}

#[expect(clippy::cast_precision_loss, reason = "columns of a terminal are few")]
fn cells(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars() -> Vec<Bar> {
        let bar = |label: &str, worker, start, finish, is_critical| Bar {
            label: label.to_owned(),
            worker,
            start,
            finish,
            is_critical,
        };
        vec![
            bar("design", 1, 0.0, 1.0, true),
            bar("docs", 2, 0.0, 0.5, false),
            bar("build", 1, 1.0, 4.0, true),
        ]
    }

    #[test]
    fn bars_stand_to_scale_with_their_worker_and_their_days() {
        let expected = "\
design  w1  ███·········  0-1
docs    w2  ░···········  0-0.5
build   w1  ···█████████  1-4
";
        assert_eq!(gantt_within(&bars(), 4.0, 31), expected);
    }

    /// Fault T-01.
    #[test]
    fn no_terminal_is_too_narrow() {
        for width in 1..=200 {
            let text = gantt_within(&bars(), 4.0, width);
            let widest = text.lines().map(|it| it.chars().count()).max().unwrap();
            assert!(widest <= width.max(16), "{width}: {text}");
        }
        assert_eq!(gantt_within(&[], 0.0, 80), "");
    }
}
