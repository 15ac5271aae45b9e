//! Turns bytes of a terminal into keys and pastes, across any split of the reads.

/// The end of a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// What came in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Input {
    /// The contents of one bracketed paste, byte for byte.
    Paste(Vec<u8>),
    /// Bytes that stand for themselves; a line feed is one of them.
    Text(Vec<u8>),
    /// Carriage return.
    Enter,
    /// Escape with nothing after it.
    Escape,
    /// The cursor up key.
    Up,
    /// The cursor down key.
    Down,
    /// Backspace or delete.
    Backspace,
    /// A control byte, as the letter that is held with Ctrl.
    Control(char),
    /// A sequence it has no use for.
    Other(Vec<u8>),
}

impl Input {
    /// The bytes that a terminal sends for it; `None` for a paste, which is no key.
    pub(crate) fn key_bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Paste(_) => None,
            Self::Text(bytes) | Self::Other(bytes) => Some(bytes.clone()),
            Self::Enter => Some(b"\r".to_vec()),
            Self::Escape => Some(b"\x1b".to_vec()),
            Self::Up => Some(b"\x1b[A".to_vec()),
            Self::Down => Some(b"\x1b[B".to_vec()),
            Self::Backspace => Some(b"\x7f".to_vec()),
            Self::Control(letter) => u8::try_from(*letter).ok().map(|byte| vec![byte & 0x1f]),
        }
    }
}

/// The decoder; feed it what was read, and [`Decoder::flush`] it when nothing follows an Escape.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
}

impl Decoder {
    /// Decodes what can be decoded now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut inputs = Vec::new();
        if let Some(paste) = self.paste.take() {
            self.paste_goes_on(paste, bytes, &mut inputs);
        } else {
            self.pending.extend_from_slice(bytes);
        }
        self.decode_pending(&mut inputs);
        inputs
    }

    /// Whether an Escape stands that may still be the start of a sequence.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes the bytes that wait for what they are: nothing follows.
    pub(crate) fn flush(&mut self) -> Vec<Input> {
        let pending = std::mem::take(&mut self.pending);
        match pending.as_slice() {
            [] => Vec::new(),
            [0x1b] => vec![Input::Escape],
            _ => vec![Input::Other(pending)],
        }
    }

    fn paste_goes_on(&mut self, mut paste: Vec<u8>, bytes: &[u8], inputs: &mut Vec<Input>) {
        // The end may straddle the reads, so the search begins a little before the new bytes.
        let from = paste.len().saturating_sub(PASTE_END.len() - 1);
        paste.extend_from_slice(bytes);
        let found = paste.get(from..).and_then(|tail| position(tail, PASTE_END));
        let Some(found) = found else {
            self.paste = Some(paste);
            return;
        };
        let rest = paste.split_off(from + found);
        self.pending.extend(rest.into_iter().skip(PASTE_END.len()));
        inputs.push(Input::Paste(paste));
    }

    fn decode_pending(&mut self, inputs: &mut Vec<Input>) {
        while let Some((input, length)) = next_input(&self.pending) {
            let rest = self.pending.split_off(length);
            self.pending.clear();
            match input {
                Some(input) => {
                    self.pending = rest;
                    inputs.push(input);
                }
                // The start of a paste: the rest is its contents.
                None => self.paste_goes_on(Vec::new(), &rest, inputs),
            }
        }
    }
}

/// The first input and its length; no input is the start of a paste; `None` when more bytes are needed.
fn next_input(bytes: &[u8]) -> Option<(Option<Input>, usize)> {
    let (first, rest) = bytes.split_first()?;
    let single = |input| Some((Some(input), 1));
    match first {
        b'\r' => single(Input::Enter),
        0x08 | 0x7f => single(Input::Backspace),
        0x1b => sequence(bytes, rest),
        b'\t' | b'\n' | 0x20.. => {
            let stands = |byte: &u8| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e | 0x80..);
            let length = bytes.iter().take_while(|byte| stands(byte)).count();
            Some((Some(Input::Text(bytes.iter().take(length).copied().collect())), length))
        }
        control => single(Input::Control(char::from(control | 0x60))),
    }
}

fn sequence(bytes: &[u8], rest: &[u8]) -> Option<(Option<Input>, usize)> {
    let whole = |length: usize| Input::Other(bytes.iter().take(length).copied().collect());
    match rest.split_first()? {
        (b'[', parameters) => {
            let end = parameters.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let length = end + 3;
            let input = match bytes.get(2..length) {
                Some(b"200~") => None,
                Some(b"A") => Some(Input::Up),
                Some(b"B") => Some(Input::Down),
                _ => Some(whole(length)),
            };
            Some((input, length))
        }
        (b'O', after) => {
            let input = match after.first()? {
                b'A' => Input::Up,
                b'B' => Input::Down,
                _ => whole(3),
            };
            Some((Some(input), 3))
        }
        // Two Escapes are two keys; anything else after one is a key held with Alt.
        (0x1b, _) => Some((Some(Input::Escape), 1)),
        _ => Some((Some(whole(2)), 2)),
    }
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let (first, _) = needle.split_first()?;
    let starts = haystack.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts
        .map(|(start, _)| start)
        .find(|start| haystack.get(*start..).is_some_and(|tail| tail.starts_with(needle)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reads: &[&[u8]], expected: &[Input]) {
        let mut decoder = Decoder::default();
        let inputs: Vec<Input> = reads.iter().flat_map(|read| decoder.feed(read)).collect();
        assert_eq!(inputs, expected);
    }

    #[test]
    fn a_paste_is_one_input_wherever_the_reads_are_split() {
        let bytes = b"a\x1b[200~one\r\ntwo\x1b[x\x1b[201~\rb";
        let expected = [
            Input::Text(b"a".to_vec()),
            Input::Paste(b"one\r\ntwo\x1b[x".to_vec()),
            Input::Enter,
            Input::Text(b"b".to_vec()),
        ];
        for split in 1..bytes.len() {
            let (head, tail) = bytes.split_at(split);
            let mut decoder = Decoder::default();
            let mut inputs = decoder.feed(head);
            inputs.extend(decoder.feed(tail));
            assert_eq!(inputs, expected, "split at {split}");
        }
    }

    #[test]
    fn two_pastes_in_one_read_are_two_inputs() {
        let expected = [Input::Paste(b"1".to_vec()), Input::Paste(b"2".to_vec())];
        check(&[b"\x1b[200~1\x1b[201~\x1b[200~2\x1b[201~"], &expected);
    }

    #[test]
    fn control_keys_are_told_from_text() {
        let expected =
            [Input::Text(b"x\n".to_vec()), Input::Control('u'), Input::Up, Input::Backspace];
        check(&[b"x\n\x15\x1b[A\x7f"], &expected);
    }

    #[test]
    fn an_escape_waits_for_what_follows_until_it_is_flushed() {
        let mut decoder = Decoder::default();
        assert!(decoder.feed(b"\x1b").is_empty());
        assert!(decoder.is_waiting());
        assert_eq!(decoder.flush(), [Input::Escape]);
        assert!(!decoder.is_waiting());
    }
}
