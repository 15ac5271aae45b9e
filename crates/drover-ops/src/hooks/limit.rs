//! Until when a usage limit stands, from the sentence that tells it.

use std::sync::LazyLock;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use regex::Regex;

/// A time of day that is over by no more than this was meant: the limit has just ended.
const JUST_OVER: SignedDuration = SignedDuration::from_mins(10);

const MONTHS: &[&str] =
    &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

static SECONDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\|(\d{10})\b").ok());
static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\bresets?\b(?: at| on)?\s+",
        r"(?:(?P<month>[a-z]{3})[a-z]*\.? (?P<day>\d{1,2}),?\s+(?:at\s+)?)?",
        r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>am|pm)?(?:\s*\((?P<zone>[^)]+)\))?"
    ))
    .ok()
});

/// Whether a sentence tells of a usage limit, and not of one request too many.
pub(super) fn is_told(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("limit")
        && (text.contains("reset") || text.contains("reached") || text.contains("hit your"))
}

/// When the limit ends that a screen tells of, in the zone of this machine.
pub(crate) fn ends(text: &str, now: Timestamp) -> Option<Timestamp> {
    until(text, now, &TimeZone::system())
}

/// When the limit ends, told at `now` to somebody whose clock is in `zone`; none if that cannot be read.
pub(super) fn until(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Some(found) = SECONDS.as_ref()?.captures(text) {
        return Timestamp::from_second(found.get(1)?.as_str().parse().ok()?).ok();
    }
    let found = CLOCK.as_ref()?.captures(text)?;
    let word = |name: &str| found.name(name).map(|it| it.as_str());
    let number = |name: &str| word(name).and_then(|it| it.parse::<i8>().ok());
    let zone = match word("zone") {
        Some(name) => TimeZone::get(name).ok()?,
        None => zone.clone(),
    };
    let hour = match (number("hour")?, word("half").map(str::to_lowercase).as_deref()) {
        (12, Some("am")) => 0,
        (hour @ 1..=11, Some("pm")) => hour + 12,
        (hour, Some(_)) if !(1..=12).contains(&hour) => return None,
        (hour, _) => hour,
    };
    let time = Time::new(hour, number("minute").unwrap_or(0), 0, 0).ok()?;
    let date = match word("month") {
        Some(month) => named(zone.to_datetime(now).date(), month, number("day")?)?,
        None => next(now, time, &zone)?,
    };
    zone.to_timestamp(date.to_datetime(time)).ok()
}

/// The day on which the clock shows this time next.
fn next(now: Timestamp, time: Time, zone: &TimeZone) -> Option<Date> {
    let today = zone.to_datetime(now).date();
    let ends = zone.to_timestamp(today.to_datetime(time)).ok()?;
    let is_over = now.duration_since(ends) > JUST_OVER;
    if is_over { today.tomorrow().ok() } else { Some(today) }
}

/// A day without a year is the next one of its name.
fn named(today: Date, month: &str, day: i8) -> Option<Date> {
    let at = MONTHS.iter().position(|it| *it == month.to_lowercase())?;
    let month = i8::try_from(at + 1).ok()?;
    let this_year = Date::new(today.year(), month, day).ok()?;
    let is_over = this_year < today.yesterday().ok()?;
    if is_over { Date::new(today.year() + 1, month, day).ok() } else { Some(this_year) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn check(text: &str, now: &str, expected: Option<&str>) {
        let until = until(text, now.parse().unwrap(), &zone("UTC"));
        assert_eq!(until.map(|it| it.to_string()).as_deref(), expected, "{text}");
    }

    /// Faults H-09, H-10.
    #[test]
    fn the_end_of_a_limit_is_read_in_the_zone_it_is_told_in() {
        let now = "2026-11-30T12:00:00Z";
        let told = "You've hit your session limit · resets 7:30pm (Europe/Amsterdam)";
        check(told, now, Some("2026-11-30T18:30:00Z"));
        check("usage limit reached, resets 3pm", now, Some("2026-11-30T15:00:00Z"));
        check("Your limit will reset at 12am (UTC)", now, Some("2026-12-01T00:00:00Z"));
        check("limit reached · resets Dec 3, 9am (UTC)", now, Some("2026-12-03T09:00:00Z"));
        check("limit reached · resets Jan 2, 9am (UTC)", now, Some("2027-01-02T09:00:00Z"));
        check("usage limit reached|1796072417", now, Some("2026-11-30T21:00:17Z"));
    }

    /// Fault H-10.
    #[test]
    fn a_time_that_is_over_is_tomorrows_unless_it_is_just_over() {
        check("resets 3pm", "2026-11-30T16:00:00Z", Some("2026-12-01T15:00:00Z"));
        check("resets 3pm", "2026-11-30T15:01:00Z", Some("2026-11-30T15:00:00Z"));
    }

    /// Fault H-10.
    #[test]
    fn the_night_in_which_the_clock_is_set_is_a_night_like_any_other() {
        // On 25 October 2026 Amsterdam goes back from +2 to +1 at three o'clock.
        let told = "resets 9am (Europe/Amsterdam)";
        check(told, "2026-10-24T22:00:00Z", Some("2026-10-25T08:00:00Z"));
        // On 29 March 2026 half past two does not exist there.
        check(
            "resets 2:30am (Europe/Amsterdam)",
            "2026-03-28T23:00:00Z",
            Some("2026-03-29T01:30:00Z"),
        );
    }

    /// Fault H-10.
    #[test]
    fn what_cannot_be_read_is_no_time() {
        let now = "2026-11-30T12:00:00Z";
        for text in [
            "resets soon",
            "resets 25pm",
            "resets 3pm (Nowhere/Land)",
            "resets Foo 3, 9am",
            "",
            "13:99",
        ] {
            check(text, now, None);
        }
    }

    #[test]
    fn one_request_too_many_is_no_usage_limit() {
        assert!(is_told("You've hit your session limit · resets 3pm"));
        assert!(is_told("Claude usage limit reached"));
        assert!(!is_told("API Error: 429 fake 429"));
    }
}
