//! What agents use: tokens, and money where somebody says what they cost.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Tokens by how a provider counts and prices them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Read for the first time.
    pub input: u64,
    /// Read again from the provider's cache.
    pub cached: u64,
    /// Read and put into that cache.
    pub written: u64,
    /// Written by the model, thinking included.
    pub output: u64,
}

impl Tokens {
    /// All of them.
    pub fn total(self) -> u64 {
        self.input + self.cached + self.written + self.output
    }
}

/// A million of a currency's units, in which money is kept: no part of a cent is lost on the way.
pub const MICROS: f64 = 1_000_000.0;

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// For input.
    pub input: f64,
    /// For input from the cache.
    pub cached: f64,
    /// For input that goes into the cache.
    pub written: f64,
    /// For output.
    pub output: f64,
}

impl Price {
    /// What tokens cost, in millionths of a dollar.
    pub fn micros(&self, tokens: Tokens) -> u64 {
        #[expect(clippy::cast_precision_loss, reason = "exact up to nine million billion tokens")]
        let part = |count: u64, price: f64| count as f64 * price;
        let sum = part(tokens.input, self.input)
            + part(tokens.cached, self.cached)
            + part(tokens.written, self.written)
            + part(tokens.output, self.output);
        whole(sum)
    }
}

/// A sum of money as it is kept: never below nothing, and rounded.
pub fn whole(micros: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and what is below nothing was taken away"
    )]
    let whole = micros.max(0.0).round() as u64;
    whole
}

/// What was used, over some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// The tokens.
    pub tokens: Tokens,
    /// Millionths of a dollar, as the engine recorded them.
    pub recorded: u64,
    /// Millionths of a dollar, by the prices a person gave.
    pub priced: u64,
    /// Tokens of which nobody says what they cost.
    pub unpriced: u64,
}

impl Spent {
    /// Tokens of a model: what the engine recorded of their cost, else their price, else neither.
    pub fn of(tokens: Tokens, recorded: Option<u64>, price: Option<&Price>) -> Self {
        let spent = Self { tokens, ..Self::default() };
        match (recorded, price) {
            (Some(micros), _) => Self { recorded: micros, ..spent },
            (None, Some(price)) => Self { priced: price.micros(tokens), ..spent },
            (None, None) => Self { unpriced: tokens.total(), ..spent },
        }
    }

    /// The money that is known of, in millionths of a dollar; `None` where nothing is.
    pub fn micros(&self) -> Option<u64> {
        let is_known = self.recorded + self.priced > 0 || self.unpriced < self.tokens.total();
        is_known.then_some(self.recorded + self.priced)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.written += other.written;
        self.output += other.output;
    }
}

impl Add for Spent {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.tokens += other.tokens;
        self.recorded += other.recorded;
        self.priced += other.priced;
        self.unpriced += other.unpriced;
        self
    }
}

impl Sum for Spent {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// How much a project may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Millionths of a dollar.
    Money(u64),
    /// Tokens.
    Tokens(u64),
}

impl Budget {
    /// Reads `12.50 usd`, `$12.50` or `2000000 tokens`; a number alone is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let money = text.strip_suffix("usd").or_else(|| text.strip_prefix('$'));
        if let Some(number) = money {
            let dollars: f64 = number.trim().parse().ok()?;
            let is_some = dollars.is_finite() && dollars > 0.0 && dollars <= 1e9;
            return is_some.then(|| Self::Money(whole(dollars * MICROS)));
        }
        let number: u64 = text.strip_suffix("tokens")?.trim().parse().ok()?;
        (number > 0).then_some(Self::Tokens(number))
    }

    /// Whether that is more than it allows.
    pub fn is_exceeded_by(self, spent: &Spent) -> bool {
        match self {
            Self::Money(most) => spent.micros().unwrap_or(0) > most,
            Self::Tokens(most) => spent.tokens.total() > most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_names_its_unit() {
        let check = |text: &str, expected: Option<Budget>| {
            assert_eq!(Budget::parse(text), expected, "{text}");
        };
        check("12.50 usd", Some(Budget::Money(12_500_000)));
        check("$3", Some(Budget::Money(3_000_000)));
        check("2000000 Tokens", Some(Budget::Tokens(2_000_000)));
        for text in ["", "12", "0 usd", "-1 usd", "nan usd", "1.5 tokens", "0 tokens", "5 eur"] {
            check(text, None);
        }
    }

    #[test]
    fn money_is_what_was_recorded_else_what_a_price_makes_of_it_else_unknown() {
        let tokens = Tokens { input: 1_000_000, cached: 1_000_000, written: 0, output: 1_000_000 };
        let price = Price { input: 3.0, cached: 0.3, written: 3.75, output: 15.0 };
        assert_eq!(price.micros(tokens), 18_300_000);
        let unknown = Spent::of(tokens, None, None);
        assert_eq!((unknown.micros(), unknown.unpriced), (None, 3_000_000));
        let known = Spent::of(tokens, Some(7), Some(&price));
        assert_eq!(known.micros(), Some(7));
        let sum: Spent = [unknown, known, Spent::of(tokens, None, Some(&price))].into_iter().sum();
        assert_eq!((sum.micros(), sum.unpriced), (Some(18_300_007), 3_000_000));
        assert!(Budget::Money(18_300_006).is_exceeded_by(&sum));
        assert!(!Budget::Tokens(9_000_000).is_exceeded_by(&sum));
        assert!(!Budget::Money(1).is_exceeded_by(&unknown));
        assert_eq!(Spent::default().micros(), None);
    }
}
