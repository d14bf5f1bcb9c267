//! Every page in `docs/codes` shows a document and what `quipu check` says about it, or a history
//! and what `quipu import` says; beside a document there may be a policy (`yaml policy`)
//! or a file that it includes (`ainl included`). What is found only when rules run (`R4`) is what
//! `quipu rules` says. All of it is true: `UPDATE=1` writes what it says now.

use std::path::Path;

use crate::run::Folder;

#[test]
fn every_page_shows_what_check_says() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes");
    let mut wrong = Vec::new();
    for code in diagnostics::codes::ALL {
        let path = pages.join(format!("{}.md", code.id));
        let page = std::fs::read_to_string(&path).unwrap();
        if let Err(why) = check_page(code.id, &path, &page) {
            wrong.push(format!("{}: {why}", code.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn check_page(code: &str, path: &Path, page: &str) -> Result<(), String> {
    let (file, example) = example(page).ok_or("it has no example")?;
    let expected = fenced(page, "text").ok_or("it does not show what check says")?;
    let folder = Folder::new();
    folder.write(file, example);
    // What the example includes.
    if let Some(included) = fenced(page, "ainl included") {
        folder.write("lib.ainl", included);
    }
    let done = match file {
        "example.jsonl" => {
            // What the store has before.
            folder.write("before.jsonl", fenced(page, "jsonl before").unwrap_or_default());
            folder.run(&["import", "before.jsonl", file, "--store", "memory"])
        }
        "example.clp" if code.starts_with("R4") => folder.run(&["rules", file]),
        _ => match fenced(page, "yaml policy") {
            Some(policy) => {
                folder.write("policy.yaml", policy);
                folder.run(&["check", file, "--policy", "policy.yaml"])
            }
            None => folder.run(&["check", file]),
        },
    };
    let said = done.stderr.split(&format!("\n{file}: ")).next().unwrap_or_default().trim_end();
    // What `quipu rules` says of the run as a whole.
    let said = match said.rsplit_once("\n\n") {
        Some((findings, _)) if code.starts_with("R4") => findings,
        _ => said,
    };
    let said = match said.split_once('\n') {
        Some((first, rest)) if first.starts_with("before.jsonl: ") => rest,
        _ => said,
    };
    let codes: Vec<&str> =
        said.lines().filter_map(|line| Some(line.split_once('[')?.1.split_once("]:")?.0)).collect();
    if codes != [code] {
        return Err(format!(
            "it and nothing else must be found, but found {codes:?}:\n{}",
            done.stderr
        ));
    }
    if said == expected.trim_end() {
        return Ok(());
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, page.replace(expected, &format!("{said}\n"))).unwrap();
        return Ok(());
    }
    Err(format!("the page shows\n{expected}\nbut check says\n{said}"))
}

/// The document that a page is about: its first fenced block.
fn example(page: &str) -> Option<(&'static str, Vec<u8>)> {
    let blocks = ["json", "yaml", "ainl", "clp", "hex", "jsonl"]
        .into_iter()
        .filter_map(|language| Some((language, fenced(page, language)?)));
    let (language, text) = blocks.min_by_key(|(_, text)| text.as_ptr())?;
    let file = match language {
        "yaml" => "example.yaml",
        "ainl" => "example.ainl",
        "clp" => "example.clp",
        "jsonl" => "example.jsonl",
        _ => "example.json",
    };
    Some((file, if language == "hex" { from_hex(text) } else { text.as_bytes().to_vec() }))
}

/// The inside of the first fenced block of a language.
fn fenced<'a>(page: &'a str, language: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n```{language}\n"))?;
    Some(&rest[..rest.find("\n```").map(|end| end + 1)?])
}

fn from_hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}
