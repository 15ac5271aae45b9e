//! The lines of a prompt that choose the answer.

use std::time::Duration;

/// What a prompt asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Directive {
    Say(String),
    Slow {
        words: usize,
        pause: Duration,
    },
    Hold(String),
    Hang(Duration),
    Big(usize),
    Recall(String),
    Steps(Vec<Step>),
    Error {
        status: u16,
        times: Option<u32>,
        line: String,
    },
    Cut,
    /// None: the last line of the prompt.
    Other(String),
}

/// One call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Step {
    /// Of the agent's shell.
    Shell(String),
    /// Of any tool, with its arguments in JSON.
    Call { tool: String, arguments: String },
}

/// The last directive of a prompt; where that is a call, every call in order.
pub(super) fn of(prompt: &str) -> Directive {
    let found: Vec<Directive> = prompt.lines().filter_map(|it| line(it.trim())).collect();
    match found.last() {
        None => {
            let last = prompt.lines().rev().map(str::trim).find(|it| !it.is_empty());
            Directive::Other(last.unwrap_or_default().chars().take(200).collect())
        }
        Some(Directive::Steps(_)) => {
            let steps = found.into_iter().filter_map(|it| match it {
                Directive::Steps(steps) => Some(steps),
                _ => None,
            });
            Directive::Steps(steps.flatten().collect())
        }
        Some(other) => other.clone(),
    }
}

fn line(line: &str) -> Option<Directive> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    let mut numbers = rest.split(' ').map(str::parse::<u64>);
    let mut number = || numbers.next().and_then(Result::ok);
    Some(match word {
        "SAY" if !rest.is_empty() => Directive::Say(rest.to_owned()),
        "SLOW" => Directive::Slow {
            words: usize::try_from(number()?).ok()?,
            pause: Duration::from_millis(number()?),
        },
        "HOLD" if !rest.is_empty() => Directive::Hold(rest.to_owned()),
        "HANG" => Directive::Hang(Duration::from_secs(number()?)),
        "BIG" => Directive::Big(usize::try_from(number()?).ok()?),
        "RECALL" if !rest.is_empty() => Directive::Recall(rest.to_owned()),
        "TOOL" if !rest.is_empty() => Directive::Steps(vec![Step::Shell(rest.to_owned())]),
        "CALL" => {
            let (tool, arguments) = rest.split_once(' ')?;
            if !arguments.starts_with('{') {
                return None;
            }
            let (tool, arguments) = (tool.to_owned(), arguments.to_owned());
            Directive::Steps(vec![Step::Call { tool, arguments }])
        }
        "ERR" => Directive::Error {
            status: u16::try_from(number()?).ok()?,
            times: number().and_then(|it| u32::try_from(it).ok()),
            line: line.to_owned(),
        },
        "CUT" if rest.is_empty() => Directive::Cut,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Directive, Step, of};
    use std::time::Duration;

    #[test]
    fn the_last_line_that_is_a_directive_decides() {
        let check =
            |prompt: &str, expected: Directive| assert_eq!(of(prompt), expected, "{prompt}");
        check("hello\nthere\n", Directive::Other("there".to_owned()));
        check("SAY one\n  SAY two\nmore", Directive::Say("two".to_owned()));
        check("SLOW 3 40", Directive::Slow { words: 3, pause: Duration::from_millis(40) });
        check("SLOW down", Directive::Other("SLOW down".to_owned()));
        let error =
            |times, line: &str| Directive::Error { status: 429, times, line: line.to_owned() };
        check("ERR 429 2", error(Some(2), "ERR 429 2"));
        check("ERR 429", error(None, "ERR 429"));
    }

    #[test]
    fn several_calls_are_steps() {
        let call = Step::Call { tool: "add".to_owned(), arguments: r#"{"a": 1}"#.to_owned() };
        let steps = vec![Step::Shell("echo a; echo b".to_owned()), call];
        assert_eq!(of("TOOL echo a; echo b\nand\nCALL add {\"a\": 1}\n"), Directive::Steps(steps));
    }
}
