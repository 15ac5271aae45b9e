//! `[price.MODEL]`: what a model costs, where a person says so; Drover knows no prices of its own.

use drover_core::usage::Price;
use serde::Deserialize;

/// Dollars for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    input: f64,
    output: f64,
    cached: Option<f64>,
    written: Option<f64>,
}

impl Given {
    /// A cache that is not named is priced as what is read for the first time.
    pub(super) fn checked(&self) -> Result<Price, String> {
        let price = Price {
            input: self.input,
            cached: self.cached.unwrap_or(self.input),
            written: self.written.unwrap_or(self.input),
            output: self.output,
        };
        let parts = [price.input, price.cached, price.written, price.output];
        match parts.iter().find(|it| !it.is_finite() || **it < 0.0) {
            Some(bad) => Err(format!("{bad} is no price")),
            None => Ok(price),
        }
    }
}
