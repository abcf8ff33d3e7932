use serde_json::json;

use super::*;
use crate::ProgramError;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn ran(line: &str) -> Cli {
    match parse(&words(line)) {
        Parsed::Run(cli) => *cli,
        other => panic!("{line}: {other:?}"),
    }
}

fn wrong(line: &str) -> String {
    match parse(&words(line)) {
        Parsed::Wrong { message, .. } => message,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn commands_and_options_of_the_program() {
    let cli = ran("zero serve --port 8080 --world demo --json");
    assert!(matches!(cli.command, Some(Command::Serve { port: 8080 })));
    assert_eq!((cli.world, cli.json, cli.caller.as_str()), (Some(PathBuf::from("demo")), true, "shell"));

    let Some(Command::Run(run)) = ran("zero run main --headless --frames 3 --capture a.png").command else { panic!() };
    assert_eq!((run.scene.as_deref(), run.headless, run.frames), (Some("main"), true, Some(3)));

    let Some(Command::Exec(exec)) = ran("zero exec a.luau -- 1 two").command else { panic!() };
    assert_eq!((exec.file.as_deref(), exec.args), (Some("a.luau"), vec!["1".to_owned(), "two".to_owned()]));
    let Some(Command::Exec(exec)) = ran("zero exec -e return(1)").command else { panic!() };
    assert_eq!((exec.file, exec.code.as_deref()), (None, Some("return(1)")));

    assert_eq!(ran("zero --search make a crate --json").search.unwrap(), ["make", "a", "crate"]);
    assert!(ran("zero -k crate").search.is_some());
}

#[test]
fn wrong_usage_says_so() {
    assert!(wrong("zero exec").contains("required"));
    assert!(wrong("zero exec a.luau -e b").contains("cannot be used with"));
    assert!(wrong("zero run --frames 0").contains("--frames"));
    assert!(wrong("zero serve --prot 1").contains("--port"));
    assert!(matches!(parse(&words("zero exec --json")), Parsed::Wrong { json: true, .. }));
}

#[test]
fn help_at_every_level() {
    assert!(matches!(parse(&words("zero")), Parsed::Help(_)));
    let Parsed::Help(cli) = parse(&words("zero --world demo --help")) else { panic!() };
    assert_eq!(cli.world, Some(PathBuf::from("demo")));
    let Parsed::Text(text) = parse(&words("zero exec --help")) else { panic!() };
    assert!(text.contains("SCRIPT_ARGS"), "{text}");
    assert!(matches!(parse(&words("zero --version")), Parsed::Text(_)));
    let Some(Command::Tool(tool)) = ran("zero entityOps --help").command else { panic!() };
    assert!(ToolWords::parse(tool).unwrap().help);
    for name in ["new", "run", "mcp", "serve", "exec", "check", "hash"] {
        assert!(program_help().contains(name), "{name}");
    }
}

#[test]
fn what_reads_as_json_is_json() {
    for (word, expected) in [
        ("60", json!(60)),
        ("-1.5", json!(-1.5)),
        ("true", json!(true)),
        ("null", json!(null)),
        ("[1,2]", json!([1, 2])),
        (r#"{"a":1}"#, json!({ "a": 1 })),
        (r#""60""#, json!("60")),
        ("007", json!("007")),
        ("crate", json!("crate")),
        ("[1,", json!("[1,")),
        ("", json!("")),
    ] {
        assert_eq!(value(word), expected, "{word}");
    }
}

fn tool(line: &str) -> Result<ToolWords, ProgramError> {
    ToolWords::parse(words(line))
}

/// Of a tool `(name, maxCount, loud, at)`, of which `loud` is a boolean.
fn arguments(line: &str) -> Result<serde_json::Value, String> {
    let parameter = |name: &str| Parameter { name: name.into(), boolean: name == "loud", fields: Vec::new() };
    let mut parameters = ["name", "maxCount", "loud", "at"].map(parameter);
    parameters[3].fields = vec!["times".into()];
    tool(line).and_then(|words| words.arguments(&parameters)).map_err(|error| error.to_string())
}

#[test]
fn names_a_tool_in_two_ways() {
    let spaced = tool("box make 1 --json").unwrap();
    let dotted = tool("box.make --json 1").unwrap();
    assert_eq!(spaced, dotted);
    assert_eq!((spaced.toolbox.as_str(), spaced.tool.as_deref(), spaced.json), ("box", Some("make"), true));
    assert_eq!(tool("box").unwrap().tool, None);
    assert!(tool("box --help").unwrap().help);
}

#[test]
fn arguments_in_order_by_name_and_mixed() {
    assert_eq!(arguments("box make"), Ok(json!([])));
    assert_eq!(arguments("box make crate 3 -5"), Ok(json!(["crate", 3, -5])));
    assert_eq!(arguments("box make --name crate --maxCount=3"), Ok(json!({ "name": "crate", "maxCount": 3 })));
    assert_eq!(arguments("box make --max-count -3"), Ok(json!({ "maxCount": -3 })));
    assert_eq!(arguments("box make --maxCount 3 crate"), Ok(json!({ "maxCount": 3, "name": "crate" })));
    assert_eq!(arguments("box make --loud crate"), Ok(json!({ "loud": true, "name": "crate" })));
    assert_eq!(arguments("box make --loud false"), Ok(json!({ "loud": false })));
    assert_eq!(arguments("box make --at [1,2,3]"), Ok(json!({ "at": [1, 2, 3] })));
    assert_eq!(arguments("box make -- --name --help"), Ok(json!(["--name", "--help"])));
}

#[test]
fn wrong_arguments_name_the_right_ones() {
    let error = |line: &str| arguments(line).unwrap_err();
    assert_eq!(
        error("box make --nam x"),
        "box make takes no --nam; did you mean 'name'? it takes --name, --maxCount, --loud, --at"
    );
    assert_eq!(error("box make --name"), "--name needs a value");
    assert_eq!(
        error("box make --times 2"),
        "box make takes no --times: it is a field of at; write --at '{\"times\": …}'"
    );
    assert_eq!(error("box make --name a --name b"), "--name is given twice");
    assert!(error("box make --name a 1 true 2 3").starts_with("'3' is one argument too many; it takes"));
    assert_eq!(error("box make -n a"), "arguments are named with two dashes: --n");
    assert_eq!(error("box make --world demo"), "options of zero itself go before the toolbox: zero --world … box make");
    assert!(error("box --fov 3").contains("before a tool is named"));
}
