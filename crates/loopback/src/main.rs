//! `loopback-model SCRIPT.json [PORT]`: a model on loopback for scripts. It prints its address, and
//! does what the JSON array says, entry after entry; a text is an answer.

use std::process::ExitCode;

use loopback::{Act, Model};
use serde_json::Value as Json;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match serve(&arguments) {
        Ok(model) => {
            say(&model.openai());
            // Until somebody ends the process.
            loop {
                std::thread::park();
            }
        }
        Err(why) => {
            complain(&why);
            ExitCode::from(2)
        }
    }
}

fn serve(arguments: &[String]) -> Result<Model, String> {
    let file = arguments.first().ok_or("usage: loopback-model SCRIPT.json [PORT]")?;
    let port = arguments.get(1).map_or(Ok(0), |port| port.parse()).map_err(|_| "no port")?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let script: Json = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    let entries = script.as_array().ok_or("a script is a JSON array")?;
    let acts: Result<Vec<Act>, String> = entries.iter().map(Act::parse).collect();
    Ok(Model::scripted_on(port, acts?))
}

#[expect(clippy::print_stdout, reason = "scripts read the address there")]
fn say(address: &str) {
    println!("{address}");
}

#[expect(clippy::print_stderr, reason = "it is a program")]
fn complain(why: &str) {
    eprintln!("{why}");
}
