//! Reading an agent's screen by rules that are data: the last resort for its state, and the check
//! before typing.

use regex::{Regex, RegexBuilder};

/// How many lines from the end of a screen the rules look at.
pub const LINES: usize = 100;

/// A line that is drawn has at least so many characters of it.
const DRAWN: usize = 10;

const LARGEST_EXPRESSION: usize = 1 << 20;

/// A rule's expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the screen rule {expression:?} is no usable expression: {reason}")]
pub struct ScreenRuleError {
    /// The expression.
    pub expression: String,
    /// What is wrong with it.
    pub reason: String,
}

/// One expression and what it is called when it matches.
#[derive(Debug, Clone)]
pub struct ScreenRule {
    /// The expression; `^` and `$` stand at line ends.
    pub pattern: Regex,
    /// What it is called, such as `trust`.
    pub label: Option<String>,
}

impl ScreenRule {
    /// Reads a rule.
    pub fn new(expression: &str, label: Option<&str>) -> Result<Self, ScreenRuleError> {
        match RegexBuilder::new(expression).multi_line(true).size_limit(LARGEST_EXPRESSION).build()
        {
            Ok(pattern) => Ok(Self { pattern, label: label.map(str::to_owned) }),
            Err(err) => {
                Err(ScreenRuleError { expression: expression.to_owned(), reason: err.to_string() })
            }
        }
    }
}

/// The rules of one engine.
#[derive(Debug, Clone, Default)]
pub struct ScreenRules {
    /// Finds the composer; the first group, if there is one, is what stands in it.
    pub composer: Vec<ScreenRule>,
    /// Says that a found composer is empty, such as by its hint text.
    pub empty: Vec<ScreenRule>,
    /// Says that a turn is running.
    pub busy: Vec<ScreenRule>,
    /// Finds a dialog that waits for an answer.
    pub dialog: Vec<ScreenRule>,
    /// The mark in front of the chosen row of a dialog.
    pub cursor: Option<String>,
    /// Finds the row of a dialog that says yes once.
    pub allow: Vec<ScreenRule>,
    /// Finds the row that says no.
    pub deny: Vec<ScreenRule>,
    /// Finds the row that trusts a directory.
    pub trust: Vec<ScreenRule>,
}

/// What a screen shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenVerdict {
    /// A dialog waits for an answer; typing would answer it.
    Dialog {
        /// The label of the rule.
        label: Option<String>,
        /// The part of the screen that matched.
        excerpt: String,
    },
    /// A turn is running.
    Busy {
        /// The label of the rule.
        label: Option<String>,
    },
    /// The composer is there.
    Composer(Composer),
    /// No rule matches: nothing is known.
    Nothing,
}

/// What stands in a composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Composer {
    /// Nothing.
    Empty,
    /// Text that somebody has not sent.
    Draft(String),
}

impl ScreenRules {
    /// Whether there is no rule at all, so that a screen can say nothing.
    pub fn is_empty(&self) -> bool {
        self.composer.is_empty() && self.busy.is_empty() && self.dialog.is_empty()
    }

    /// What the end of `screen` shows: a dialog before a running turn before a composer.
    pub fn verdict(&self, screen: &str) -> ScreenVerdict {
        let screen = last_lines(screen);
        if let Some((label, found)) = self.dialog_on(screen) {
            return ScreenVerdict::Dialog { label, excerpt: without_lines(found) };
        }
        if let Some((rule, _)) = first_match(&self.busy, screen) {
            return ScreenVerdict::Busy { label: rule.label.clone() };
        }
        match self.composer_of(screen) {
            Some(composer) => ScreenVerdict::Composer(composer),
            None => ScreenVerdict::Nothing,
        }
    }

    /// The label and the text of the dialog that stands on a screen, however high it is.
    pub(super) fn dialog_on<'screen>(
        &self,
        screen: &'screen str,
    ) -> Option<(Option<String>, &'screen str)> {
        let (rule, found) = first_match(&self.dialog, screen.trim_end())?;
        Some((rule.label.clone(), found))
    }

    /// What stands in the composer, even while a turn is running; none if it is not to be seen.
    pub fn composer(&self, screen: &str) -> Option<Composer> {
        self.composer_of(last_lines(screen))
    }

    /// The lowest composer on the screen: what an agent echoes above it may look the same.
    fn composer_of(&self, screen: &str) -> Option<Composer> {
        let found =
            self.composer.iter().find_map(|rule| rule.pattern.captures_iter(screen).last())?;
        let whole = found.get_match().as_str();
        if first_match(&self.empty, whole).is_some() {
            return Some(Composer::Empty);
        }
        let content = found.get(1).map_or(whole, |group| group.as_str()).trim();
        if content.is_empty() {
            return Some(Composer::Empty);
        }
        Some(Composer::Draft(content.to_owned()))
    }
}

fn first_match<'rules, 'screen>(
    rules: &'rules [ScreenRule],
    screen: &'screen str,
) -> Option<(&'rules ScreenRule, &'screen str)> {
    rules.iter().find_map(|rule| Some((rule, rule.pattern.find(screen)?.as_str())))
}

/// The words of a dialog, without the lines that are drawn around them.
fn without_lines(text: &str) -> String {
    text.lines().filter(|it| !is_drawn(it)).collect::<Vec<_>>().join("\n")
}

/// Whether a line is drawn around words, which may stand in its middle, and says nothing itself.
pub(super) fn is_drawn(line: &str) -> bool {
    let is_line = |it: &char| ('\u{2500}'..='\u{259f}').contains(it);
    line.trim().starts_with(|it| is_line(&it)) && line.chars().filter(is_line).count() >= DRAWN
}

fn last_lines(screen: &str) -> &str {
    let screen = screen.trim_end();
    match screen.rmatch_indices('\n').nth(LINES - 1) {
        Some((at, _)) => screen.get(at + 1..).unwrap_or(screen),
        None => screen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(expression: &str, label: Option<&str>) -> Vec<ScreenRule> {
        vec![ScreenRule::new(expression, label).unwrap()]
    }

    fn rules() -> ScreenRules {
        ScreenRules {
            composer: rule("^> ?(.*)$", None),
            empty: rule("Try \"", None),
            busy: rule("esc to interrupt", Some("turn")),
            dialog: rule(r"Do you trust the files[^\n]*", Some("trust")),
            ..ScreenRules::default()
        }
    }

    fn composer(screen: &str) -> ScreenVerdict {
        rules().verdict(screen)
    }

    #[test]
    fn a_dialog_wins_over_a_running_turn_and_that_over_a_composer() {
        let screen = "Do you trust the files here?\nesc to interrupt\n> \n";
        assert_eq!(
            rules().verdict(screen),
            ScreenVerdict::Dialog {
                label: Some("trust".to_owned()),
                excerpt: "Do you trust the files here?".to_owned()
            }
        );
        assert_eq!(
            rules().verdict("esc to interrupt\n> \n"),
            ScreenVerdict::Busy { label: Some("turn".to_owned()) }
        );
    }

    #[test]
    fn the_lowest_composer_counts_and_its_draft_is_read() {
        assert_eq!(composer("> old prompt\nok\n> \n"), ScreenVerdict::Composer(Composer::Empty));
        assert_eq!(
            composer("> half a draft \n"),
            ScreenVerdict::Composer(Composer::Draft("half a draft".to_owned()))
        );
        assert_eq!(composer("> Try \"fix it\"\n"), ScreenVerdict::Composer(Composer::Empty));
    }

    #[test]
    fn the_composer_is_read_while_a_turn_is_running() {
        let rules = rules();
        assert_eq!(rules.composer("> x\nesc to interrupt\n> \n"), Some(Composer::Empty));
        assert_eq!(rules.composer("esc to interrupt\n"), None);
    }

    #[test]
    fn a_composer_whose_content_no_rule_can_read_is_not_called_empty() {
        let rules = ScreenRules { composer: rule("^>.*$", None), ..ScreenRules::default() };
        assert!(matches!(
            rules.verdict("> hint or draft"),
            ScreenVerdict::Composer(Composer::Draft(_))
        ));
    }

    /// Fault D-01.
    #[test]
    fn a_screen_that_no_rule_knows_is_not_taken_for_idle() {
        assert_eq!(composer("$ make\nall done\n"), ScreenVerdict::Nothing);
        assert_eq!(ScreenRules::default().verdict("> \n"), ScreenVerdict::Nothing);
    }

    #[test]
    fn only_the_last_lines_of_a_screen_count() {
        let screen = format!("esc to interrupt\n{}> \n", "x\n".repeat(LINES - 1));
        assert_eq!(composer(&screen), ScreenVerdict::Composer(Composer::Empty));
        let screen = format!("esc to interrupt\n{}> \n", "x\n".repeat(LINES - 2));
        assert!(matches!(composer(&screen), ScreenVerdict::Busy { .. }));
    }

    #[test]
    fn an_expression_that_cannot_be_read_is_refused_by_name() {
        assert!(ScreenRule::new("(", None).unwrap_err().to_string().contains("\"(\""));
    }
}
