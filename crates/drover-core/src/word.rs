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
        $vis:vis enum $Name:ident ($what:literal) {
            $( $(#[$variant_meta:meta])* $Variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $Name {
            $( $(#[$variant_meta])* $Variant, )+
        }

        impl $Name {
            /// Every value, in the order of declaration.
            $vis const ALL: &'static [Self] = &[$( Self::$Variant, )+];

            /// Every word, in the same order.
            $vis const WORDS: &'static [&'static str] = &[$( $word, )+];

            /// The word as it is stored and printed.
            $vis fn as_str(self) -> &'static str {
                match self {
                    $( Self::$Variant => $word, )+
                }
            }

            /// Reads the word back.
            $vis fn parse(word: &str) -> Result<Self, $crate::word::UnknownWord> {
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
    word_enum! {
        /// A colour.
        enum Colour("colour") {
            /// Like a leaf.
            Green = "green",
            /// Like the sky.
            LightBlue = "light_blue",
        }
    }

    #[test]
    fn every_word_reads_back_as_itself() {
        for colour in Colour::ALL {
            assert_eq!(Colour::parse(colour.as_str()), Ok(*colour));
            assert_eq!(colour.to_string(), colour.as_str());
        }
        assert_eq!(Colour::WORDS, ["green", "light_blue"]);
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_words_that_exist() {
        let err = Colour::parse("Green").unwrap_err();
        assert_eq!(err.to_string(), "\"Green\" is not a colour; it is one of green, light_blue");
    }
}
