//! Races the engine against something that does the same work, in one process: prints one
//! JSON object. Never part of the engine and never run by its tests. Start at [`BENCHES`] for
//! what there is, at [`race::race`] for how two things are compared.

mod components;
mod index;
mod machine;
mod race;
mod reload;
mod typed;
mod world;

use std::process::ExitCode;

use serde_json::json;

use race::Row;

struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn() -> Vec<Row>,
}

/// Sorted by name. A new race is a new file and a row here.
const BENCHES: &[Bench] = &[
    Bench {
        name: "components",
        about: "a frame of 10,000 script components, against one loop over tables",
        run: components::run,
    },
    Bench { name: "index", about: "opening a world of 10,000 assets, cold and warm", run: index::run },
    Bench { name: "reload", about: "from a written file to the new code answering", run: reload::run },
    Bench { name: "typed", about: "calling a checked Luau function, against an unchecked one", run: typed::run },
];

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--list") => {
            for bench in BENCHES {
                println!("{:<12}{}", bench.name, bench.about);
            }
            ExitCode::SUCCESS
        }
        Some(name) => match BENCHES.iter().find(|bench| bench.name == name) {
            Some(bench) => {
                let rows: Vec<_> = (bench.run)().iter().map(Row::to_json).collect();
                println!("{}", json!({ "bench": bench.name, "machine": machine::describe(), "rows": rows }));
                ExitCode::SUCCESS
            }
            None => usage(&format!("there is no race '{name}'")),
        },
        None => usage("name a race"),
    }
}

fn usage(problem: &str) -> ExitCode {
    let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
    eprintln!("{problem}; choose of: {}", names.join(", "));
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::BENCHES;

    #[test]
    fn races_are_sorted_and_described() {
        assert!(BENCHES.is_sorted_by(|a, b| a.name < b.name));
        assert!(BENCHES.iter().all(|bench| !bench.about.is_empty()));
    }
}
