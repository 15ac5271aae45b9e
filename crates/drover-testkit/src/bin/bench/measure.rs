//! Figures, ratios, and the middle of many runs.

use std::time::Duration;

/// One number to hold.
pub(crate) struct Row {
    pub(crate) what: String,
    /// As it is shown, with its unit.
    pub(crate) figure: String,
    /// The figure over what it is compared with, and the most that may be.
    pub(crate) ratio: Option<(f64, f64)>,
}

impl Row {
    /// A figure that is only reported.
    pub(crate) fn figure(what: impl Into<String>, figure: impl Into<String>) -> Self {
        Self { what: what.into(), figure: figure.into(), ratio: None }
    }

    /// A time, with its ratio to another measured in the same run.
    pub(crate) fn ratio(what: impl Into<String>, time: Duration, to: Duration, limit: f64) -> Self {
        let ratio = time.as_secs_f64() / to.as_secs_f64().max(1e-9);
        Self { what: what.into(), figure: millis(time), ratio: Some((ratio, limit)) }
    }

    /// A number that has a most.
    pub(crate) fn share(what: impl Into<String>, figure: String, is: usize, most: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let ratio = is as f64 / most as f64;
        Self { what: what.into(), figure, ratio: Some((ratio, 1.0)) }
    }

    /// A condition: 0 of what must not happen.
    pub(crate) fn none(what: impl Into<String>, count: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let ratio = count as f64;
        Self { what: what.into(), figure: count.to_string(), ratio: Some((ratio, 0.0)) }
    }

    /// Whether it is over its limit.
    pub(crate) fn is_over(&self) -> bool {
        self.ratio.is_some_and(|(ratio, limit)| ratio > limit)
    }

    /// One line of the table.
    pub(crate) fn print(&self) {
        let (ratio, limit) = match self.ratio {
            Some((ratio, limit)) => (format!("{ratio:.2}"), format!("{limit:.2}")),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let mark = if self.is_over() { "  OVER" } else { "" };
        println!("{:<58} {:>12} {ratio:>8} {limit:>8}{mark}", self.what, self.figure);
    }
}

/// A time in milliseconds, as it is shown.
pub(crate) fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

/// A size in MiB, as it is shown.
pub(crate) fn mebibytes(bytes: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.1} MiB")
}

/// The value below which `share` of the sorted times lie.
pub(crate) fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index"
    )]
    let place = (share * times.len() as f64) as usize;
    times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}

/// Runs several things in turn, so that a busy moment hits all of them, and returns the median of each.
pub(crate) fn interleaved<const N: usize>(
    rounds: usize,
    mut run: [&mut dyn FnMut() -> Duration; N],
) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (run, times) in run.iter_mut().zip(&mut times) {
            times.push(run());
        }
    }
    times.map(|mut it| quantile(&mut it, 0.5))
}
