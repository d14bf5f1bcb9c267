//! x
/// One word for a method: `G` is `GET`.
pub fn method_word(method: &str) -> &str {
    match method.to_ascii_uppercase().as_str() {
        "G" | "GET" => "GET",
        "P" | "POST" => "POST",
        "U" | "PUT" => "PUT",
        "D" | "DELETE" => "DELETE",
        "L" | "LIST" => "LIST",
        _ => method,
    }
}
