//! Free text that may be kept: secrets are taken out before it reaches a logged column.

mod rules;

use std::borrow::Cow;

use regex::Captures;

use rules::{RULES, Rule};

/// What stands where a secret stood.
pub const MARK: &str = "[redacted]";

/// Free text without the secrets that were recognised in it.
///
/// A logged column takes only this type, so that every text passes the one constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: String,
    redactions: usize,
}

impl Text {
    /// Takes out what looks like a secret and counts how often.
    ///
    /// A rule costs a search for a plain word unless the word is there: a short-lived process
    /// must not build expressions that it does not need.
    pub fn new(raw: &str) -> Self {
        let lower_case = raw.to_ascii_lowercase();
        let mut text = Cow::Borrowed(raw);
        let mut redactions = 0;
        for rule in RULES.iter().filter(|rule| rule.may_match(&lower_case)) {
            if let Some(changed) = apply(rule, &text, &mut redactions) {
                text = Cow::Owned(changed);
            }
        }
        Self { text: text.into_owned(), redactions }
    }

    /// The text as it may be kept.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many secrets were taken out.
    pub fn redactions(&self) -> usize {
        self.redactions
    }

    /// The text as it may be kept, owned.
    pub fn into_string(self) -> String {
        self.text
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

fn apply(rule: &Rule, text: &str, redactions: &mut usize) -> Option<String> {
    let replaced = rule.pattern()?.replace_all(text, |found: &Captures<'_>| {
        let part = |name| found.name(name).map_or("", |it| it.as_str());
        if is_marked(part("secret")) {
            return found.get_match().as_str().to_owned();
        }
        *redactions += 1;
        format!("{}{MARK}{}", part("before"), part("after"))
    });
    match replaced {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    }
}

/// A secret that an earlier rule, or an earlier pass over the same text, has taken out already.
fn is_marked(secret: &str) -> bool {
    secret.trim() == MARK
}

#[cfg(test)]
mod tests;
