//! Tests of redaction.

use proptest::prelude::*;

use super::*;

fn check(raw: &str, kept: &str, redactions: usize) {
    let text = Text::new(raw);
    assert_eq!((text.as_str(), text.redactions()), (kept, redactions), "{raw}");
}

fn check_untouched(raw: &str) {
    check(raw, raw, 0);
}

#[test]
fn known_tokens_are_taken_out() {
    check("use sk-test-1234567890abcdef now", "use [redacted] now", 1);
    check("ghp_0123456789abcdefABCDEF", "[redacted]", 1);
    check("gho_0123456789abcdefABCDEF, twice", "[redacted], twice", 1);
    check("github_pat_11ABCDEFG0_abcdef", "[redacted]", 1);
    check("key AKIAIOSFODNN7EXAMPLE.", "key [redacted].", 1);
    check("xoxb-123456789012-abcdef", "[redacted]", 1);
    check("glpat-abc_DEF-123456789", "[redacted]", 1);
}

#[test]
fn a_private_key_is_taken_out_whole_even_without_its_end() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIE+a/b=\n\
               -----END RSA PRIVATE KEY-----";
    check(&format!("a {key}\nb"), "a [redacted]\nb", 1);
    check("-----BEGIN PRIVATE KEY-----\nMIIEabc", "[redacted]", 1);
    check(
        r"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----!",
        "[redacted]!",
        1,
    );
    check_untouched("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----");
}

#[test]
fn a_value_is_taken_out_and_its_key_stays() {
    check("Authorization: Bearer abc.def", "Authorization: [redacted]", 1);
    check(
        r#"curl -H "authorization: Basic dXNlcjpw" http://x"#,
        r#"curl -H "authorization: [redacted]" http://x"#,
        1,
    );
    check("DB_PASSWORD=hunter2 make", "DB_PASSWORD=[redacted] make", 1);
    check("token = 'a b c'; x", "token = '[redacted]'; x", 1);
    check("token=\"sk-\"://", "token=\"[redacted]\"://", 1);
    check("?api_key=abc&x=1", "?api_key=[redacted]&x=1", 1);
    check("secret=\"never closed", "secret=\"[redacted] closed", 1);
    check(
        "postgres://me:s3cr3t@host/db https://:p@h",
        "postgres://me:[redacted]@host/db https://:[redacted]@h",
        2,
    );
}

#[test]
fn one_secret_is_counted_once() {
    check("token=ghp_0123456789abcdef", "token=[redacted]", 1);
    check("Authorization: token ghp_0123456789abcdef", "Authorization: [redacted]", 1);
}

#[test]
fn what_only_sounds_like_a_secret_stays() {
    check_untouched("the token is checked when token == other");
    check_untouched("task-list-is-longer-than-this, risk-of-everything-here");
    check_untouched("https://example.com:8080/a@b and git@github.com:x/y");
    check_untouched("password: ask the owner");
}

#[test]
fn many_beginnings_cost_linear_time() {
    let begins = "-----BEGIN RSA PRIVATE KEY-----!".repeat(30_000);
    assert_eq!(Text::new(&begins).redactions(), 30_000);
    let urls = "a://b:c".repeat(100_000);
    check_untouched(&urls);
    assert!(Text::new(&"token=\"".repeat(100_000)).redactions() > 0);
}

proptest! {
    #[test]
    fn a_kept_text_is_kept_as_it_is(
        raw in "(token|password|secret|=|==|'|\"|://|a:|@|Authorization|:| |\n|sk-|ghp_|AKIA|abcdefABCDEF0123|-----BEGIN PRIVATE KEY-----|\\[redacted\\]|;){0,14}"
    ) {
        let kept = Text::new(&raw);
        let again = Text::new(kept.as_str());
        prop_assert_eq!(again.as_str(), kept.as_str());
        prop_assert_eq!(again.redactions(), 0);
    }

    #[test]
    fn a_token_never_survives(before in "\\PC{0,20}", after in "\\PC{0,20}") {
        let raw = format!("{before} ghp_0123456789abcdefABCD {after}");
        prop_assert!(!Text::new(&raw).as_str().contains("ghp_0123456789abcdefABCD"));
    }
}
