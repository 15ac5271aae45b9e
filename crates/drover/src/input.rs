//! Text that a call brings along: as an argument, from standard input, or from a file.

use std::cell::OnceCell;
use std::io::Read as _;
use std::path::Path;

use drover_ops::{OpError, tty};

/// The most that is read from one source; what a text may have is each verb's own rule, and less.
const MOST_BYTES: u64 = 256 << 20;

/// Reads to the end, or refuses what has no end.
fn bounded(source: impl std::io::Read, path: &Path) -> Result<Vec<u8>, OpError> {
    let mut bytes = Vec::new();
    source
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| OpError::File { path: path.to_owned(), source })?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(OpError::Usage(format!(
            "{} has more than {most} MiB, which is the most that is read",
            path.display()
        )));
    }
    Ok(bytes)
}

/// What a call brings along; standard input is read once.
#[derive(Debug, Default)]
pub(crate) struct Input {
    stdin: OnceCell<Vec<u8>>,
    /// Whether the call came as a message: then standard input carries messages, and nobody can be asked.
    is_message: bool,
}

impl Input {
    /// What a call brings along that came as a message, with the text that `-` stands for.
    pub(crate) fn of_message(stdin: Option<Vec<u8>>) -> Self {
        Self { stdin: stdin.map(OnceCell::from).unwrap_or_default(), is_message: true }
    }

    /// Whether whoever called can be asked a question on the terminal.
    pub(crate) fn can_ask(&self) -> bool {
        !self.is_message && tty::is_stdin_terminal() && tty::is_stderr_terminal()
    }

    /// The bytes on standard input.
    pub(crate) fn stdin(&self) -> Result<&[u8], OpError> {
        if let Some(bytes) = self.stdin.get() {
            return Ok(bytes);
        }
        if self.is_message {
            return Err(OpError::Usage(
                "- stands for the text in `stdin`, and there is none".to_owned(),
            ));
        }
        let bytes = bounded(std::io::stdin().lock(), Path::new("standard input"))?;
        Ok(self.stdin.get_or_init(|| bytes))
    }

    /// The raw bytes of a text: `-` is standard input, a file is read, anything else is the text itself.
    pub(crate) fn bytes(
        &self,
        words: Option<&str>,
        file: Option<&Path>,
    ) -> Result<Option<Vec<u8>>, OpError> {
        match (words, file) {
            (Some(_), Some(_)) => {
                Err(OpError::Usage("the text is given twice: as words and as --file".to_owned()))
            }
            (Some("-"), None) => Ok(Some(self.stdin()?.to_vec())),
            (Some(words), None) => Ok(Some(words.as_bytes().to_vec())),
            (None, Some(file)) => self.file(file).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The bytes of a file; of a message only a regular one, for a pipe could hold its call for ever.
    pub(crate) fn file(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        let failed = |source| OpError::File { path: path.to_owned(), source };
        if self.is_message && !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(OpError::Usage(format!("{} is no regular file", path.display())));
        }
        bounded(std::fs::File::open(path).map_err(failed)?, path)
    }

    /// A text that must be valid UTF-8.
    pub(crate) fn text(
        &self,
        words: Option<&str>,
        file: Option<&Path>,
    ) -> Result<Option<String>, OpError> {
        let Some(bytes) = self.bytes(words, file)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|err| {
            let at = err.utf8_error().valid_up_to();
            OpError::Usage(format!("the text is not valid UTF-8 at byte {at}"))
        })
    }

    /// A text that must be there and not blank; `what` names it in the refusal.
    pub(crate) fn prose(
        &self,
        what: &str,
        words: Option<&str>,
        file: Option<&Path>,
    ) -> Result<String, OpError> {
        match self.text(words, file)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(OpError::Usage(format!("the {what} is blank"))),
            None => Err(OpError::Usage(format!(
                "the {what} is missing: give it as words, as - for standard input, or as --file"
            ))),
        }
    }

    /// What a caller says beside a verb: absent, or not blank.
    pub(crate) fn said(&self, what: &str, words: Option<&str>) -> Result<Option<String>, OpError> {
        words.map(|it| self.prose(what, Some(it), None)).transpose()
    }
}

/// The parts of a list flag without the space around them; a blank part is refused.
pub(crate) fn parts(flag: &str, given: &[String]) -> Result<Vec<String>, OpError> {
    let trimmed: Vec<String> = given.iter().map(|it| it.trim().to_owned()).collect();
    if trimmed.iter().any(String::is_empty) {
        return Err(OpError::Usage(format!("{flag} has a blank part")));
    }
    Ok(trimmed)
}

/// The same, where one empty word stands for an empty list.
pub(crate) fn parts_or_none(flag: &str, given: &[String]) -> Result<Vec<String>, OpError> {
    match given {
        [only] if only.is_empty() => Ok(Vec::new()),
        several => parts(flag, several),
    }
}
