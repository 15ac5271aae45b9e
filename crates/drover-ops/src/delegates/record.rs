//! A delegate's answer as a note on a task: the verdict with what speaks for it.

/// The longest note.
const MOST: usize = 4_000;
/// What is kept of an answer without a verdict.
const TAIL: usize = 1_500;

/// How a delegate ended, for the note.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended<'a> {
    /// What it was about, or its name.
    pub(super) label: &'a str,
    /// Its name.
    pub(super) name: &'a str,
    /// How long it took, in words.
    pub(super) elapsed: &'a str,
    /// `done`, or another word.
    pub(super) outcome: &'a str,
    /// What it answered.
    pub(super) answer: Option<&'a str>,
}

/// The text of the note: the last line with a verdict and the evidence behind it; without a verdict
/// the end of the answer, marked so; without an answer the outcome.
pub(super) fn note(ended: &Ended<'_>) -> String {
    let head = format!("REFUTER {} ({}, {}):", ended.label, ended.name, ended.elapsed);
    let text = match ended.answer.filter(|_| ended.outcome == "done") {
        None => format!("{head} no verdict ({})", ended.outcome),
        Some(answer) => match verdict(answer) {
            Some(verdict) => format!("{head}\n{verdict}"),
            None => {
                format!("{head} no VERDICT line; the end of its answer:\n{}", last(answer, TAIL))
            }
        },
    };
    first(&text, MOST)
}

fn verdict(answer: &str) -> Option<String> {
    let lines: Vec<&str> = answer.lines().map(str::trim).collect();
    let at = lines.iter().rposition(|it| it.starts_with("VERDICT:"))?;
    let mut kept = vec![*lines.get(at)?];
    kept.extend(lines.iter().skip(at + 1).filter(|it| it.starts_with("EVIDENCE:")));
    Some(kept.join("\n"))
}

fn first(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn last(text: &str, most: usize) -> String {
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(outcome: &str, answer: Option<&str>, expected: &str) {
        let ended =
            Ended { label: "parser", name: "delegate-parser", elapsed: "2m", outcome, answer };
        assert_eq!(note(&ended), expected);
    }

    #[test]
    fn the_last_verdict_is_kept_with_the_evidence_behind_it() {
        let answer = "EVIDENCE: old\nVERDICT: fails\nthoughts\n  VERDICT: holds\nEVIDENCE: a\nmore\nEVIDENCE: b\n";
        let head = "REFUTER parser (delegate-parser, 2m):";
        check("done", Some(answer), &format!("{head}\nVERDICT: holds\nEVIDENCE: a\nEVIDENCE: b"));
        let told = format!("{head} no VERDICT line; the end of its answer:\nit holds");
        check("done", Some("it holds"), &told);
        check("error", Some("VERDICT: holds"), &format!("{head} no verdict (error)"));
        check("died", None, &format!("{head} no verdict (died)"));
    }

    #[test]
    fn a_note_is_never_longer_than_a_person_reads() {
        let long = format!("VERDICT: {}", "x".repeat(9_000));
        let ended =
            Ended { label: "l", name: "n", elapsed: "1s", outcome: "done", answer: Some(&long) };
        assert_eq!(note(&ended).chars().count(), MOST);
        let answer = "y".repeat(9_000);
        let ended = Ended { answer: Some(&answer), ..ended };
        assert_eq!(note(&ended).matches('y').count(), TAIL);
    }
}
