pub(crate) fn is_compact(text: &str) -> bool {
    text.starts_with("g:")
}
