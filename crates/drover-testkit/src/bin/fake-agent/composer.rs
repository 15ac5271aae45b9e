//! The text being composed: typed bytes and pastes, of which the long ones are shown as a placeholder.

/// A paste with more lines or bytes than this is shown as `[Pasted text #N +M lines]`.
const SHOWN_LINES: usize = 10;
const SHOWN_BYTES: usize = 1_000;

#[derive(Clone, Debug)]
enum Piece {
    Typed(Vec<u8>),
    Pasted { number: usize, bytes: Vec<u8> },
}

/// The composer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composer {
    pieces: Vec<Piece>,
    pastes: usize,
}

impl Composer {
    /// Starts with a draft.
    pub(crate) fn with_draft(draft: &str) -> Self {
        let mut composer = Self::default();
        composer.type_text(draft.as_bytes());
        composer
    }

    /// Adds typed bytes.
    pub(crate) fn type_text(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            Some(Piece::Typed(typed)) => typed.extend_from_slice(bytes),
            Some(Piece::Pasted { .. }) | None => self.pieces.push(Piece::Typed(bytes.to_vec())),
        }
        self.pieces.retain(|piece| !piece.bytes().is_empty());
    }

    /// Adds a paste.
    pub(crate) fn paste(&mut self, bytes: Vec<u8>) {
        if is_long(&bytes) {
            self.pastes += 1;
            self.pieces.push(Piece::Pasted { number: self.pastes, bytes });
        } else {
            self.type_text(&bytes);
        }
    }

    /// Takes the last character, or the whole of a paste's placeholder, away.
    pub(crate) fn backspace(&mut self) {
        match self.pieces.last_mut() {
            Some(Piece::Typed(typed)) => {
                while typed.pop().is_some_and(|byte| (0x80..0xc0).contains(&byte)) {}
            }
            Some(Piece::Pasted { .. }) => {
                self.pieces.pop();
            }
            None => {}
        }
        self.pieces.retain(|piece| !piece.bytes().is_empty());
    }

    /// Takes everything away.
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Takes the whole text out.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.pieces.drain(..).flat_map(|piece| piece.bytes().to_vec()).collect()
    }

    /// What a person sees of it, with placeholders.
    pub(crate) fn shown(&self) -> String {
        self.pieces.iter().map(Piece::shown).collect()
    }
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Typed(bytes) | Self::Pasted { bytes, .. } => bytes,
        }
    }

    fn shown(&self) -> String {
        match self {
            // Only the end of a long text can be on the screen.
            Self::Typed(bytes) => {
                let start = bytes.len().saturating_sub(16 * SHOWN_BYTES);
                let tail: Vec<u8> = bytes.iter().skip(start).copied().collect();
                String::from_utf8_lossy(&tail).into_owned()
            }
            Self::Pasted { number, bytes } => {
                format!("[Pasted text #{number} +{} lines]", line_feeds(bytes))
            }
        }
    }
}

fn is_long(bytes: &[u8]) -> bool {
    bytes.len() > SHOWN_BYTES || line_feeds(bytes) >= SHOWN_LINES
}

fn line_feeds(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}
