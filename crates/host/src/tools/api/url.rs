//! A URL with gaps in its path and its query. Whatever fills them, scheme, host and port are those
//! that the operator wrote, and so is the number of segments and parameters.

use reqwest::Url;
use value::Map;

use super::template::{Argument, Place, Secrets, Template};

/// A URL with gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UrlTemplate {
    /// Scheme, host and port.
    origin: Url,
    /// What stands between the slashes, without the first.
    path: Vec<Template>,
    /// What stands between the ampersands.
    query: Option<Vec<Template>>,
}

impl UrlTemplate {
    /// Reads one, and says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<UrlTemplate, String> {
        if text.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
            return Err("the URL has a space in it; write `%20`".to_owned());
        }
        if text.contains('\\') {
            return Err("the URL has a backslash in it; write `/`".to_owned());
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err("the URL must begin with `https://` or `http://`".to_owned());
        };
        let (host, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if scheme.contains('{') || host.contains(['{', '}']) {
            return Err("scheme, host and port of a URL must be fixed: whoever makes the call \
                        must not choose whom it goes to"
                .to_owned());
        }
        let origin = Url::parse(&format!("{scheme}://{host}/"));
        let origin = origin.map_err(|error| format!("the URL cannot be read: {error}"))?;
        if outside(rest, '#').next().is_some() {
            return Err("the URL has a fragment (`#`), which is never sent; write `%23`".to_owned());
        }
        let (path, query) = match outside(rest, '?').next() {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let path = path.strip_prefix('/').unwrap_or(path);
        let path: Vec<Template> = path.split('/').map(segment).collect::<Result<_, _>>()?;
        let query = query.map(|query| query.split('&').map(gaps).collect::<Result<_, _>>());
        Ok(UrlTemplate { origin, path, query: query.transpose()? })
    }

    /// The URL without path and query.
    pub(crate) fn origin(&self) -> &Url {
        &self.origin
    }

    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        self.path.iter().chain(self.query.iter().flatten())
    }

    /// The URL for a call.
    pub(super) fn fill(&self, args: &Map, secrets: Secrets<'_>) -> Result<Url, String> {
        let text = self.written(args, secrets)?;
        let url = Url::parse(&text).map_err(|error| format!("the URL cannot be read: {error}"))?;
        // INVARIANT: what fills a gap is percent-encoded, so that none of this can differ.
        let same = url.scheme() == self.origin.scheme()
            && url.host_str() == self.origin.host_str()
            && url.port() == self.origin.port()
            && url.username().is_empty()
            && url.fragment().is_none()
            && url.path().split('/').count() == self.path.len() + 1;
        if same { Ok(url) } else { Err("the arguments would change the URL".to_owned()) }
    }

    /// The same for people, with the names of secrets in place of them.
    pub(super) fn shown(&self, args: &Map) -> String {
        let bare = self.origin.as_str().trim_end_matches('/');
        self.written(args, Secrets::Named).unwrap_or_else(|_| bare.to_owned())
    }

    fn written(&self, args: &Map, secrets: Secrets<'_>) -> Result<String, String> {
        let mut text = self.origin.as_str().trim_end_matches('/').to_owned();
        for segment in &self.path {
            let filled = segment.fill(args, Place::Url, secrets)?.unwrap_or_default();
            if let Some(argument) = segment.arguments().next() {
                check_segment(&filled, argument)?;
            }
            text.push('/');
            text.push_str(&filled);
        }
        let mut before = '?';
        for parameter in self.query.iter().flatten() {
            if let Some(filled) = parameter.fill(args, Place::Url, secrets)? {
                text.push(before);
                text.push_str(&filled);
                before = '&';
            }
        }
        Ok(text)
    }
}

/// A segment that is empty or only dots makes another path of what stands around it.
fn check_segment(filled: &str, argument: &Argument) -> Result<(), String> {
    match is_step(filled) || filled.is_empty() {
        true => Err(format!(
            "the argument `{}` would make another path of the URL: it must not be empty, `.` or \
             `..`",
            argument.shown()
        )),
        false => Ok(()),
    }
}

/// Whether it leads to another place than one of its name.
fn is_step(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    plain == "." || plain == ".."
}

fn segment(text: &str) -> Result<Template, String> {
    let template = gaps(text)?;
    if let Some(name) = template.secrets().next() {
        return Err(format!(
            "`{{secret:{name}}}` stands in the path of the URL, which servers write into their \
             logs; put it into a header"
        ));
    }
    if let Some(argument) = template.arguments().find(|argument| argument.is_optional) {
        let name = argument.shown();
        return Err(format!(
            "`{{{name}?}}` stands in the path, from which nothing can be left out"
        ));
    }
    if is_step(text) {
        return Err(format!("the path has `{text}` in it; write where it leads to"));
    }
    Ok(template)
}

fn gaps(text: &str) -> Result<Template, String> {
    let template = Template::parse(text)?;
    let has_brace = template.texts().any(|text| text.contains(['{', '}']));
    match has_brace {
        true => Err(format!("`{text}` has a brace that begins or ends no argument `{{name}}`")),
        false => Ok(template),
    }
}

/// Where a letter stands outside of braces.
fn outside(text: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut depth = 0_u32;
    text.char_indices().filter_map(move |(at, letter)| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0 && letter == wanted).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use value::{Text, Value, json};

    use super::*;
    use crate::http::percent_encoded;

    fn fill(text: &str, args: &str) -> Result<String, String> {
        let args = json::parse(args).unwrap();
        let url = UrlTemplate::parse(text)?;
        url.fill(args.as_map().unwrap(), Secrets::Known(&|_| "s&s".to_owned())).map(String::from)
    }

    #[test]
    fn an_argument_stays_where_it_is() {
        let url = "https://api.example/a/{x}/b?q={x}&n={n?}&k={secret:K}&fixed";
        for (x, filled) in [
            ("1", "1"),
            ("../../admin", "..%2F..%2Fadmin"),
            ("a/b", "a%2Fb"),
            ("a\\\\b", "a%5Cb"),
            ("?q=2#f", "%3Fq%3D2%23f"),
            ("&k=mine", "%26k%3Dmine"),
            ("%2e%2e", "%252e%252e"),
            ("...", "..."),
            ("@evil.example", "%40evil.example"),
            ("http://evil.example", "http%3A%2F%2Fevil.example"),
            ("\\r\\nX-Evil: 1", "%0D%0AX-Evil%3A%201"),
            ("{secret:K}", "%7Bsecret%3AK%7D"),
            ("{{n}}", "%7B%7Bn%7D%7D"),
            ("$env:HOME", "%24env%3AHOME"),
            ("\\t", "%09"),
            ("\\u0000", "%00"),
            ("ü", "%C3%BC"),
        ] {
            let expected = format!("https://api.example/a/{filled}/b?q={filled}&k=s%26s&fixed");
            assert_eq!(fill(url, &format!(r#"{{"x": "{x}"}}"#)), Ok(expected), "{x}");
        }
        for x in ["", ".", ".."] {
            assert!(fill(url, &format!(r#"{{"x": "{x}"}}"#)).is_err(), "{x}");
        }
        let dots = "https://api.example/{x}{y}/%2e{x}";
        assert!(fill(dots, r#"{"x": ".", "y": "."}"#).is_err());
        assert!(fill(dots, r#"{"x": ".", "y": "a"}"#).is_err());
        assert_eq!(
            fill("http://api.example:81?n={n?}", r#"{"n": 3}"#),
            Ok("http://api.example:81/?n=3".to_owned())
        );
    }

    proptest::proptest! {
        /// S2: whatever an argument says, it is what the server reads at its place, and no more.
        #[test]
        fn any_argument_is_read_as_it_was_given(x in ".*|[./%{}:?#&=\\\\@a-z0-9]{0,12}") {
            let url = UrlTemplate::parse("https://api.example:81/a/{x}/b?q={x}&k={secret:K}").unwrap();
            let args = Map::from_iter([("x".into(), Value::text(&*x))]);
            let known = |_: &Text| "s&s".to_owned();
            match url.fill(&args, Secrets::Known(&known)) {
                Err(_) => assert!(matches!(&*x, "" | "." | "..")),
                Ok(url) => {
                    assert_eq!(url.origin().ascii_serialization(), "https://api.example:81");
                    let segments: Vec<&str> = url.path_segments().unwrap().collect();
                    let [a, given, b] = &*segments else { panic!("{url}") };
                    assert_eq!((*a, &*percent_encoded(&x), *b), ("a", *given, "b"));
                    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
                    let expected = [("q".to_owned(), x), ("k".to_owned(), "s&s".to_owned())];
                    assert_eq!(query, expected);
                    assert_eq!((url.fragment(), url.username()), (None, ""));
                }
            }
        }
    }

    #[test]
    fn what_could_lead_elsewhere_is_no_url() {
        for (text, expected) in [
            ("api.example/x", "the URL must begin with `https://` or `http://`"),
            ("https://{host}/x", "scheme, host and port of a URL must be fixed"),
            ("https://api.example:{port}/", "scheme, host and port of a URL must be fixed"),
            ("{scheme}://api.example/", "scheme, host and port of a URL must be fixed"),
            ("https://{user}@api.example/", "scheme, host and port of a URL must be fixed"),
            ("https://api.example/{secret:K}", "`{secret:K}` stands in the path"),
            ("https://api.example/{x?}/y", "`{x?}` stands in the path"),
            ("https://api.example/{{x}}", "`{{x}}` has a brace that begins or ends no argument"),
            ("https://api.example/{x", "`{x` has a brace that begins or ends no argument"),
            ("https://api.example/?q=}", "`q=}` has a brace that begins or ends no argument"),
            ("https://api.example/a/../b", "the path has `..` in it"),
            ("https://api.example/%2E/b", "the path has `%2E` in it"),
            ("https://api.example/#x", "the URL has a fragment"),
            ("https://api.example\\@evil.example/", "the URL has a backslash"),
            ("https://api.example/a b", "the URL has a space"),
            ("https://:80/", "the URL cannot be read"),
        ] {
            let why = UrlTemplate::parse(text).unwrap_err();
            assert!(why.starts_with(expected), "{text}: {why}");
        }
    }
}
