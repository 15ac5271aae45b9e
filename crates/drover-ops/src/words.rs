//! Command lines as words, split once and quoted for a person to paste; ages in words.

pub use drover_core::shell::{join, quote};
use jiff::Timestamp;

use crate::error::{OpError, Result};

/// Splits a command line into words as a shell would, without running anything.
pub fn split(line: &str) -> Result<Vec<String>> {
    let unbalanced = || OpError::Usage(format!("the quotes in {line:?} do not match"));
    let words = shlex::split(line).ok_or_else(unbalanced)?;
    if words.is_empty() {
        Err(OpError::Usage("the command is blank".to_owned()))
    } else {
        Ok(words)
    }
}

/// The end of a longer text on one line: where somebody asks something, it is there.
pub fn ending(text: &str) -> String {
    const MOST: usize = 200;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    if count <= MOST {
        return line;
    }
    format!("…{}", line.chars().skip(count - MOST).collect::<String>())
}

/// Money that is kept in millionths of a dollar, as `$1.25`; below ten cents as exactly as it takes.
pub fn money(micros: u64) -> String {
    let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
    if micros >= 100_000 || micros == 0 {
        let cents = (part + 5_000) / 10_000;
        return format!("${}.{:02}", whole + cents / 100, cents % 100);
    }
    format!("${whole}.{}", format!("{part:06}").trim_end_matches('0'))
}

/// A number of tokens as a person reads it: `950`, `12.3k`, `4.5M`.
pub fn count(number: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", number / unit, number % unit * 10 / unit);
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", tenths(1_000)),
        _ => format!("{}M", tenths(1_000_000)),
    }
}

/// How long before `now` a stored time was, in its largest unit, as `3h`.
pub fn age(stored: &str, now: Timestamp) -> String {
    let Ok(at) = stored.parse::<Timestamp>() else { return stored.to_owned() };
    let seconds = now.duration_since(at).as_secs().max(0);
    let units = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60)];
    let fitting = units.iter().find(|it| seconds >= it.1);
    fitting.map_or_else(
        || format!("{seconds}s"),
        |(unit, length)| format!("{}{unit}", seconds / length),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let ages = [
            ("2026-01-15T11:59:18.500Z", "41s"),
            ("2026-01-15T11:00:01Z", "59m"),
            ("2026-01-14T11:00:00Z", "1d"),
            ("2026-01-01T00:00:00Z", "2w"),
            ("2026-01-16T00:00:00Z", "0s"),
            ("once", "once"),
        ];
        for (stored, expected) in ages {
            assert_eq!(age(stored, now), expected, "{stored}");
        }
    }
}
