//! The table of what counts as a secret; a long table of similar entries.

use std::sync::OnceLock;

use regex::Regex;

/// One kind of secret: an expression whose group `secret` is taken out and whose groups `before`
/// and `after` stay.
pub(super) struct Rule {
    /// Words in lower case of which one must occur, or the expression is not even built.
    any_of: &'static [&'static str],
    /// Words that must all occur besides.
    all_of: &'static [&'static str],
    expression: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    const fn new(
        any_of: &'static [&'static str],
        all_of: &'static [&'static str],
        expression: &'static str,
    ) -> Self {
        Self { any_of, all_of, expression, compiled: OnceLock::new() }
    }

    pub(super) fn may_match(&self, lower_case: &str) -> bool {
        self.any_of.iter().any(|word| lower_case.contains(word))
            && self.all_of.iter().all(|word| lower_case.contains(word))
    }

    /// The expression; that every one compiles is held by a test.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(self.expression).ok()).as_ref()
    }
}

/// Keys whose value is a secret, in lower case.
const KEYS: &[&str] = &["password", "passwd", "token", "secret", "api_key", "api-key", "apikey"];

/// Every rule, in the order of application: values by their key before tokens by their prefix, so
/// that one secret is counted once.
///
/// No expression may have to look past the end of what it takes out, or many beginnings without
/// an end would cost quadratic time.
pub(super) static RULES: [Rule; 12] = [
    Rule::new(
        &["private key"],
        &["-----begin"],
        r"(?x)(?<secret>
            -----BEGIN\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
            (?:[A-Za-z0-9+/=\s\\:,.()]|-[A-Za-z0-9])*
            (?:-----END\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----)?
        )",
    ),
    Rule::new(
        &["authorization"],
        &[],
        r#"(?i)(?<before>authorization["']?[ \t]*[:=][ \t]*["']?)(?<secret>[^\s"'][^\r\n"']*)"#,
    ),
    Rule::new(
        &["://"],
        &["@"],
        r#"(?i)(?<before>[a-z][a-z0-9+.-]{0,30}://[^\s/:@"']{0,256}:)(?<secret>[^\s/@"']{1,1024})(?<after>@)"#,
    ),
    Rule::new(
        KEYS,
        &["=", "\""],
        r#"(?i)(?<before>(?:password|passwd|token|secret|api[_-]?key)["']?[ \t]*=[ \t]*")(?<secret>[^"\r\n]+)(?<after>")"#,
    ),
    Rule::new(
        KEYS,
        &["=", "'"],
        r#"(?i)(?<before>(?:password|passwd|token|secret|api[_-]?key)["']?[ \t]*=[ \t]*')(?<secret>[^'\r\n]+)(?<after>')"#,
    ),
    Rule::new(
        KEYS,
        &["="],
        r#"(?ix)(?<before>(?:password|passwd|token|secret|api[_-]?key)["']?[\ \t]*=[\ \t]*["']?)
            (?<secret>[^\s"'&;,=][^\s"'&;,]*)"#,
    ),
    Rule::new(&["sk-"], &[], r"\b(?<secret>sk-[A-Za-z0-9_-]{12,})"),
    Rule::new(
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        &[],
        r"\b(?<secret>gh[pousr]_[A-Za-z0-9]{8,})",
    ),
    Rule::new(&["github_pat_"], &[], r"\b(?<secret>github_pat_[A-Za-z0-9_]{8,})"),
    Rule::new(&["akia", "asia"], &[], r"\b(?<secret>(?:AKIA|ASIA)[0-9A-Z]{12,})"),
    Rule::new(&["xox"], &[], r"\b(?<secret>xox[abeoprs]-[A-Za-z0-9-]{8,})"),
    Rule::new(&["glpat-"], &[], r"\b(?<secret>glpat-[A-Za-z0-9_-]{8,})"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_names_its_secret() {
        for rule in &RULES {
            let pattern = rule.pattern().unwrap();
            assert!(
                pattern.capture_names().any(|name| name == Some("secret")),
                "{}",
                rule.expression
            );
        }
    }

    #[test]
    fn ordinary_prose_builds_no_expression() {
        let prose = "fix the tokenizer; the user's password field; see https://example.com/a";
        assert!(RULES.iter().all(|rule| !rule.may_match(prose)));
    }
}
