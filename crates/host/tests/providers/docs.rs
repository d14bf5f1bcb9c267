//! The page says what the code does.

use host::models::{MAX_TOKENS, PARAMS, PRICES_OF, PROVIDERS, TURN_MAX};

#[test]
fn the_page_knows_every_provider_and_every_default() {
    let page = include_str!("../../../../docs/models.md");
    for provider in PROVIDERS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", provider.name)));
        let row = row.unwrap_or_else(|| panic!("`{}` has no row", provider.name));
        let words = [Some(provider.base_url), provider.base_url_variable, provider.key_variable];
        for word in words.into_iter().flatten() {
            assert!(row.contains(&format!("`{word}`")), "{word} is not in: {row}");
        }
        assert_eq!(row.ends_with("none |"), provider.key_variable.is_none(), "{row}");
    }
    for param in PARAMS {
        assert!(page.contains(&format!("| `{param}` |")), "{param}");
    }
    for words in [
        format!("always sent: {MAX_TOKENS} where"),
        format!("The table is of {PRICES_OF},"),
        format!("{} s is the default", TURN_MAX.as_secs()),
    ] {
        assert!(page.contains(&words), "{words}");
    }
}
