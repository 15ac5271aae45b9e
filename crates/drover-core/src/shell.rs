//! Words on a line that every common shell reads alike, whichever of them is a person's own.

/// One word as sh, bash, zsh, fish and tcsh all read it back, bare where it needs no quotes.
///
/// tcsh looks for `!` within single quotes, fish takes `\` for an escape there, and no two agree on
/// double quotes: those signs stand outside, each behind a backslash. A line end has no form that
/// tcsh reads as well; it stays in single quotes, as the others take it.
pub fn quote(word: &str) -> String {
    if word.is_empty() {
        return "''".to_owned();
    }
    if word.chars().all(is_bare) {
        return word.to_owned();
    }
    if word.contains('\'') && !word.contains(['\\', '!', '"', '$', '`', '\n']) {
        return format!("\"{word}\"");
    }
    let mut line = String::with_capacity(word.len() + 2);
    for stretch in word.split_inclusive(is_apart) {
        let sign = stretch.chars().next_back().filter(|it| is_apart(*it));
        let plain = sign.map_or(stretch, |it| stretch.strip_suffix(it).unwrap_or(stretch));
        if !plain.is_empty() {
            line.extend(["'", plain, "'"]);
        }
        match sign {
            Some('\'') => line.push_str("\"'\""),
            Some(other) => line.extend(['\\', other]),
            None => {}
        }
    }
    line
}

/// Words as one line that a shell splits into the same words.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn is_bare(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || "+-./:@_".contains(sign)
}

fn is_apart(sign: char) -> bool {
    matches!(sign, '\'' | '\\' | '!')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_some_shell_needs_it_and_no_further() {
        let check = |word: &str, expected: &str| assert_eq!(quote(word), expected, "{word:?}");
        check("", "''");
        check("/usr/bin/drover-1.0_x+y:z@h", "/usr/bin/drover-1.0_x+y:z@h");
        check("two words", "'two words'");
        check("it's", "\"it's\"");
        check("it's $HOME", "'it'\"'\"'s $HOME'");
        check("a\\b", "'a'\\\\'b'");
        check("Hi!", "'Hi'\\!");
        check("!", "\\!");
        check("größe", "'größe'");
        check("=ls", "'=ls'");
        check("%1", "'%1'");
    }

    #[test]
    fn words_are_joined_by_blanks() {
        assert_eq!(join(["a", "b c", ""]), "a 'b c' ''");
    }
}
