/// The one of `known` that someone who wrote `name` may have meant.
pub(crate) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let written = name.to_lowercase();
    known
        .map(|known| (strsim::damerau_levenshtein(&written, &known.to_lowercase()), known))
        .min()
        .filter(|(distance, _)| *distance <= 1 + name.chars().count() / 4)
        .map(|(_, known)| known)
}
