//! Names that are free, leaf of the module.

/// A name that is not taken: the wanted one, else its number counted up, or `-2`, `-3` behind it.
pub(crate) fn free(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = wanted.to_owned();
    while is_taken(&name) {
        name = counted_up(&name);
    }
    name
}

/// The name with its number counted up, or with `-2` behind it.
pub(crate) fn counted_up(name: &str) -> String {
    let number = name.rsplit_once('-').and_then(|(stem, number)| {
        let number: u32 = number.parse().ok()?;
        Some(format!("{stem}-{}", number.checked_add(1)?))
    });
    number.unwrap_or_else(|| format!("{name}-2"))
}
