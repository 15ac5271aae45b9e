//! Closed sets of words: one enum, one spelling, the same in the database, on the command line
//! and in JSON.

/// A word that is not one of a closed set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a {what}; it is one of {}", allowed.join(", "))]
pub struct UnknownWord {
    /// What the word should have been, such as `message level`.
    pub what: &'static str,
    /// The word as given.
    pub given: String,
    /// Every word of the set.
    pub allowed: &'static [&'static str],
}

/// Declares an enum whose variants are words, with `ALL`, `WORDS`, `as_str`, `parse` and `Display`.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident ($what:literal) {
            $( $(#[$variant_meta:meta])* $Variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name {
            $( $(#[$variant_meta])* $Variant, )+
        }

        impl $Name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$( Self::$Variant, )+];

            /// Every word, in the same order.
            pub const WORDS: &'static [&'static str] = &[$( $word, )+];

            /// The word as it is stored and printed.
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$Variant => $word, )+
                }
            }

            /// Reads the word back.
            pub fn parse(word: &str) -> Result<Self, $crate::word::UnknownWord> {
                match word {
                    $( $word => Ok(Self::$Variant), )+
                    _ => Err($crate::word::UnknownWord {
                        what: $what,
                        given: word.to_owned(),
                        allowed: Self::WORDS,
                    }),
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    };
}

pub(crate) use word_enum;

#[cfg(test)]
mod tests {
    use crate::message::{Level, Mode};

    #[test]
    fn every_word_reads_back_as_itself() {
        for level in Level::ALL {
            assert_eq!(Level::parse(level.as_str()), Ok(*level));
        }
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.as_str()), Ok(*mode));
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_words_that_exist() {
        let err = Mode::parse("later").unwrap_err();
        assert_eq!(
            err.to_string(),
            "\"later\" is not a send mode; it is one of turn_end, when_idle, interrupt, steer, fresh"
        );
    }
}
