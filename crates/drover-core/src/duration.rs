//! How long something may take: the one grammar of every time limit.

use std::fmt;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

const NANOS_A_SECOND: u128 = 1_000_000_000;
const LONGEST_DAYS: u128 = 36_500;
const UNITS: [(char, u128); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// A time limit as given: `90s`, `10m`, `2h`, `1d`, bare seconds, `0` for at once, `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Zero: look once and do not wait.
    AtOnce,
    /// A time greater than zero.
    For(Duration),
    /// No limit.
    Never,
}

/// Why a text is not a time limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The text does not follow the grammar.
    #[error("{given:?} is not a duration; write 90s, 10m, 2h, 1d, seconds, 0 or never")]
    Malformed {
        /// The text.
        given: String,
    },
    /// The number is below zero.
    #[error("the duration {given:?} is negative")]
    Negative {
        /// The text.
        given: String,
    },
    /// The number has more than nine decimal places.
    #[error("the duration {given:?} is finer than a nanosecond")]
    TooFine {
        /// The text.
        given: String,
    },
    /// The time is longer than can be meant.
    #[error("the duration {given:?} is longer than {LONGEST_DAYS} days; write never")]
    TooLong {
        /// The text.
        given: String,
    },
}

impl Limit {
    /// Reads a time limit.
    pub fn parse(text: &str) -> Result<Self, LimitError> {
        let given = || text.to_owned();
        if text == "never" {
            return Ok(Self::Never);
        }
        if let Some(rest) = text.strip_prefix('-') {
            return Err(match Self::parse(rest) {
                Ok(_) => LimitError::Negative { given: given() },
                Err(_) => LimitError::Malformed { given: given() },
            });
        }
        let (number, seconds) = UNITS
            .iter()
            .find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds)))
            .unwrap_or((text, 1));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(LimitError::Malformed { given: given() });
        }
        if fraction.len() > 9 {
            return Err(LimitError::TooFine { given: given() });
        }
        let nanos = nanos(whole, fraction, seconds)
            .filter(|nanos| *nanos <= LONGEST_DAYS * 86_400 * NANOS_A_SECOND)
            .ok_or_else(|| LimitError::TooLong { given: given() })?;
        Ok(Self::from_nanos(nanos))
    }

    /// When the limit is over for something that begins at `now`; none if it never is.
    pub fn deadline(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::AtOnce => Some(now),
            Self::For(duration) => {
                let span = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
                Some(now.saturating_add(span).unwrap_or(Timestamp::MAX))
            }
            Self::Never => None,
        }
    }

    fn from_nanos(nanos: u128) -> Self {
        if nanos == 0 {
            return Self::AtOnce;
        }
        let seconds = u64::try_from(nanos / NANOS_A_SECOND).unwrap_or(u64::MAX);
        let rest = u32::try_from(nanos % NANOS_A_SECOND).unwrap_or(0);
        Self::For(Duration::new(seconds, rest))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn nanos(whole: &str, fraction: &str, unit: u128) -> Option<u128> {
    let whole: u128 = whole.parse().ok()?;
    let fraction: u128 = format!("{fraction:0<9}").parse().ok()?;
    whole.checked_mul(NANOS_A_SECOND)?.checked_add(fraction)?.checked_mul(unit)
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtOnce => formatter.write_str("0"),
            Self::Never => formatter.write_str("never"),
            Self::For(duration) if duration.subsec_nanos() > 0 => {
                let fraction = format!("{:09}", duration.subsec_nanos());
                write!(formatter, "{}.{}s", duration.as_secs(), fraction.trim_end_matches('0'))
            }
            Self::For(duration) => {
                let seconds = u128::from(duration.as_secs());
                let (unit, length) = UNITS
                    .into_iter()
                    .find(|(_, length)| seconds.is_multiple_of(*length))
                    .unwrap_or(('s', 1));
                write!(formatter, "{}{unit}", seconds / length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, millis: u64) {
        assert_eq!(Limit::parse(text), Ok(Limit::For(Duration::from_millis(millis))), "{text}");
    }

    #[test]
    fn a_number_has_a_unit_or_means_seconds() {
        check("90s", 90_000);
        check("90", 90_000);
        check("10m", 600_000);
        check("2h", 7_200_000);
        check("1d", 86_400_000);
        check("0.5", 500);
        check("1.5m", 90_000);
        check("0.001s", 1);
    }

    #[test]
    fn zero_is_at_once_and_never_is_never() {
        assert_eq!(Limit::parse("0"), Ok(Limit::AtOnce));
        assert_eq!(Limit::parse("0.0h"), Ok(Limit::AtOnce));
        assert_eq!(Limit::parse("never"), Ok(Limit::Never));
        assert_eq!(Limit::Never.deadline(Timestamp::UNIX_EPOCH), None);
    }

    /// Fault G-17.
    #[test]
    fn what_is_not_a_duration_is_refused_and_never_widened() {
        for text in ["", " ", "m", "1x", "1ms", "1 m", "1e3", ".5", "1.", "+1", "--1", "1h30m", "٣"]
        {
            assert!(matches!(Limit::parse(text), Err(LimitError::Malformed { .. })), "{text:?}");
        }
        assert!(matches!(Limit::parse("-5m"), Err(LimitError::Negative { .. })));
        assert!(matches!(Limit::parse("0.0000000001"), Err(LimitError::TooFine { .. })));
        for text in ["36501d", "99999999999999999999999999999999999999999999h"] {
            assert!(matches!(Limit::parse(text), Err(LimitError::TooLong { .. })), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_limit_reads_back_as_itself(seconds in 0_u64..3_000_000_000, nanos in 0_u32..1_000_000_000) {
            let limit = Limit::from_nanos(u128::from(seconds) * NANOS_A_SECOND + u128::from(nanos));
            prop_assert_eq!(Limit::parse(&limit.to_string()), Ok(limit));
        }
    }
}
