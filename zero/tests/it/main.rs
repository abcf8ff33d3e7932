//! The program as its users meet it: the real executable, on worlds of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_zero");

/// A new world, in a folder that goes with it.
struct World {
    _folder: TempDir,
    path: PathBuf,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("demo");
        let made = Command::new(PROGRAM).arg("new").arg(&path).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        World { _folder: folder, path }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(&self.path);
        command
    }

    /// Runs a command to its end: exit code, standard output, standard error.
    fn run(&self, words: &[&str]) -> (i32, String, String) {
        ended(&self.command(words).output().unwrap())
    }

    fn json(&self, words: &[&str]) -> (i32, Value) {
        let (code, out, err) = self.run(words);
        let value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{words:?}: {error}: {out}{err}"));
        (code, value)
    }

    fn write(&self, below: &str, content: &str) {
        let path = self.path.join("source").join(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

fn ended(output: &Output) -> (i32, String, String) {
    (output.status.code().expect("no signal"), text(&output.stdout), text(&output.stderr))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// `zero mcp`, as a client that starts it sees it.
struct Session {
    child: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    asked: u64,
}

impl Session {
    fn begin(world: &World) -> Session {
        let mut command = world.command(&["mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (write, read) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut session = Session { child, write, read, asked: 0 };
        let client = json!({ "name": "test", "version": "1" });
        session.ask("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }));
        session.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn say(&mut self, message: Value) {
        writeln!(self.write.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.say(json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).unwrap() > 0, "the session ended");
            let message: Value = serde_json::from_str(&line).expect("every line is of the protocol");
            assert_eq!(message["jsonrpc"], "2.0");
            if message["id"] == json!(self.asked) {
                return message;
            }
        }
    }

    fn use_tool(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments }))["result"].clone()
    }

    fn execute(&mut self, code: &str) -> Value {
        self.use_tool("execute", json!({ "code": code }))["structuredContent"].clone()
    }

    /// Closes the pipe and waits for the exit code.
    fn end(mut self) -> i32 {
        self.write = None;
        self.child.wait().unwrap().code().expect("no signal")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn commands_answer_and_exit_as_promised() {
    let world = World::new();
    assert_eq!(world.run(&["exec", "-e", "print('hello') return 1 + 1"]), (0, "hello\n2\n".into(), String::new()));
    assert_eq!(world.run(&["exec", "-e", "return SCRIPT_ARGS.count", "--", r#"{"count":3}"#]).1, "3\n");
    world.write("seven.module/init.luau", "return { value = 7 }\n");
    world.write("ask.luau", "return require('seven').value\n");
    assert_eq!(world.run(&["exec", "source/ask.luau"]).1, "7\n");

    let (code, out, err) = world.run(&["exec", "-e", "error('on purpose')"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("error: ") && err.contains("on purpose"), "{err}");
    let (code, value) = world.json(&["exec", "--json", "-e", "error('on purpose')"]);
    assert_eq!(code, 1);
    assert!(value["error"]["message"].as_str().unwrap().contains("on purpose"), "{value}");

    let (code, hashes) = world.json(&["hash", "--json"]);
    assert_eq!((code, hashes["world"].as_str().unwrap().len()), (0, 64));
    assert_eq!(world.json(&["hash", "--json"]).1, hashes, "nothing has changed");
    assert_eq!(world.run(&["exec"]).0, 2);
    assert_eq!(world.run(&["run"]).0, 2);
    assert_eq!(world.run(&["--world", "nowhere", "hash"]).0, 3);
}

#[test]
fn mistakes_are_found_and_named() {
    let world = World::new();
    assert_eq!(world.run(&["check"]).0, 0);
    world.write("broken.module/init.luau", "local = 3\n");
    let (code, out, _) = world.run(&["check"]);
    assert_eq!(code, 1);
    assert!(out.contains("/zero/source/broken.module/init.luau:1:") && out.contains("1 error"), "{out}");
    assert_eq!(world.run(&["check", "source/main.scene"]).0, 0);
    assert_eq!(world.run(&["check", "/zero/source/broken.module"]).0, 1);
    assert_eq!(world.run(&["check", "/etc"]).0, 2);
}

#[test]
fn tools_are_commands() {
    let world = World::new();
    let help = world.run(&["--help"]);
    assert!(help.0 == 0 && help.1.contains("entityOps") && help.1.contains("serve"), "{}", help.1);
    let help = world.run(&["entityOps", "--help"]);
    assert!(help.0 == 0 && help.1.contains("spawn"), "{}", help.1);
    let help = world.run(&["entityOps", "spawn", "--help"]);
    assert!(help.0 == 0 && help.1.contains("--name string") && help.1.contains("--opts"), "{}", help.1);

    let opts = r#"{"position":[0,2,0]}"#;
    let (code, value) = world.json(&["entityOps", "spawn", "--opts", opts, "--name", "crate", "--json"]);
    assert_eq!((code, &value["ok"], &value["value"]["name"]), (0, &json!(true), &json!("crate")));
    let (code, out, _) = world.run(&["entityOps", "spawn", "barrel"]);
    assert!(code == 0 && out.contains("barrel"), "{out}");
    assert_eq!(world.run(&["exec", "-e", "return entity.find('crate').position.y"]).1, "2\n", "it was kept");
    assert!(world.run(&["--search", "make", "an", "entity"]).1.contains("spawn"));

    let (code, _, err) = world.run(&["entityOps", "spwan", "x"]);
    assert!(code == 2 && err.contains("did you mean"), "{err}");
    let (code, _, err) = world.run(&["entityOps", "spawn", "--nmae", "x"]);
    assert!(code == 2 && err.contains("did you mean 'name'"), "{err}");
    let (code, out, err) = world.run(&["entityOp", "list"]);
    assert!(code == 2 && out.is_empty() && err.contains("neither a command nor a toolbox"), "{out}{err}");
    assert!(err.contains("did you mean 'entityOps'?") && err.contains("commands: new,"), "{err}");
    let (code, _, err) = world.run(&["entityOps", "spawn"]);
    assert!(code == 2 && err.ends_with("Usage: zero entityOps spawn <name> [opts]\n"), "{err}");
    let (code, _, err) = world.run(&["entityOps", "despawn", "nobody"]);
    assert!(code == 1 && err.starts_with("error: "), "{err}");
    world.write("own.toolbox/README.md", "# own\n\nTools of this world.\n");
    world.write(
        "own.toolbox/refuse.tool/init.luau",
        "local M = {}\n\n--!desc Refuses.\n--!return Nothing.\ntyped function M.refuse(): any\n    return { exitCode = 42, message = 'not today' }\nend\n\nreturn M\n",
    );
    let (code, _, err) = world.run(&["own", "refuse"]);
    assert!(code == 42 && err.contains("not today"), "{code}: {err}");
}

#[test]
fn standard_output_is_the_protocols_own() {
    let world = World::new();
    let mut session = Session::begin(&world);
    let noisy = r#"print('{"jsonrpc":"2.0","id":1,"result":{}}') warn("loud") return 5"#;
    assert_eq!(session.execute(noisy)["result"], 5);
    let reply = session.use_tool("execute", json!({ "code": "error('no')" }));
    assert_eq!(reply["isError"], true);
    assert_eq!(session.end(), 0);
}

#[test]
fn agents_share_a_world_and_survive_its_owner() {
    let world = World::new();
    let mut owner = Session::begin(&world);
    assert_eq!(owner.execute("entity.spawn('first') return #entity.findAll('first')")["result"], 1);
    let mut guest = Session::begin(&world);
    assert_eq!(guest.execute("return #entity.findAll('first')")["result"], 1, "the same engine");
    assert_eq!(world.run(&["exec", "-e", "return #entity.findAll('first')"]).1, "1\n", "commands attach too");
    let (code, _, err) = world.run(&["serve"]);
    assert!(code == 3 && err.contains("[world/owned]") && err.contains(&owner.child.id().to_string()), "{err}");

    // Killed, not ended: what was acknowledged is there all the same.
    owner.child.kill().unwrap();
    owner.child.wait().unwrap();
    let reply = guest.use_tool("execute", json!({ "code": "return 1" }));
    assert_eq!(reply["structuredContent"]["error"]["code"], "engine/gone");
    assert_eq!(guest.execute("return #entity.findAll('first')")["result"], 1, "taken over");
    assert_eq!(guest.end(), 0);
    assert!(world.run(&["exec", "-e", "return #entity.findAll('first')"]).1 == "1\n");
}

#[cfg(unix)]
#[test]
fn a_server_serves_until_it_is_told_to_end() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let mut child = world.command(&["serve", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let mode = std::fs::metadata(said["tokenPath"].as_str().unwrap()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(world.run(&["exec", "-e", "return 3"]).1, "3\n");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(std::fs::read(Path::new(&world.path).join(".zero/lock")).unwrap(), b"", "the lock is given up");
}

#[test]
fn a_world_plays_frame_by_frame_without_a_window() {
    let world = World::new();
    world.write(
        "counter.component/init.luau",
        "public = { frames = Field.integer(0, Sync, \"Frames so far.\") }\n\nfunction update()\n    public.frames += 1\n    vfs.write(\"/tmp/frames\", tostring(public.frames))\nend\n",
    );
    world.run(&["exec", "-e", "entity.spawn('clock').component.add('counter')"]);
    let (code, value) = world.json(&["run", "--headless", "--frames", "7", "--json"]);
    assert_eq!((code, &value["frames"]), (0, &json!(7)));
    assert_eq!(world.run(&["exec", "-e", "return vfs.read('/tmp/frames')"]).1, "7\n");
}

#[test]
fn a_component_that_fails_in_play_is_no_success() {
    let world = World::new();
    world.write("Bad.component/init.luau", "public = {}\n\nfunction update()\n    error(\"boom\")\nend\n");
    world.run(&["exec", "-e", "entity.spawn('b').component.add('Bad')"]);
    let (code, out, err) = world.run(&["run", "--headless", "--frames", "3"]);
    assert!(code == 1 && out.contains("1 error while it played"), "{code}: {out}");
    assert_eq!((err.matches("boom").count(), err.lines().count()), (1, 1), "said once: {err}");
    let (code, value) = world.json(&["run", "--headless", "--frames", "3", "--json"]);
    assert!(code == 1 && value["state"]["errors"][0].as_str().unwrap().contains("boom"), "{value}");
}

#[test]
fn what_a_script_logs_is_said_once() {
    let world = World::new();
    let (code, out, err) = world.run(&["exec", "-e", "warn('careful')"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", "warn: careful\n"));
}

#[test]
fn a_new_world_keeps_what_is_of_this_machine_out_of_git() {
    let world = World::new();
    assert_eq!(std::fs::read_to_string(world.path.join(".gitignore")).unwrap(), ".zero/\n");
    let (code, out, err) = world.run(&["new", "inner"]);
    assert!(code == 0 && err.starts_with("note: it lies inside another world"), "{err}");
    assert!(out.contains(&format!("  {PROGRAM} check")), "called by its path, it names its path: {out}");
}

#[cfg(unix)]
#[test]
fn a_stopped_owner_is_named_and_given_up() {
    let world = World::new();
    let mut child = world.command(&["serve", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = child.id().to_string();
    let signal = |name: &str| assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    signal("-STOP");
    let (code, out, err) = world.run(&["exec", "-e", "return 1"]);
    signal("-CONT");
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    let (notice, error) = err.split_once('\n').unwrap();
    assert_eq!(
        notice,
        format!("process {pid}, which owns this world, does not answer; waiting for it until 10 s have passed")
    );
    assert!(error.contains("[world/owner_silent]") && error.contains(&format!("kill -CONT {pid}")), "{error}");
    assert_eq!(world.run(&["exec", "-e", "return 1"]).1, "1\n", "it goes on when its owner does");
    signal("-TERM");
    child.wait().unwrap();
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let world = World::new();
    std::fs::create_dir_all(world.path.join(".zero/lock")).unwrap();
    let (_, _, err) = world.run(&["exec", "-e", "return 1"]);
    assert!(err.contains("[world/lock_path]") && err.contains(".zero/lock is a folder"), "{err}");
    std::fs::remove_dir(world.path.join(".zero/lock")).unwrap();

    let settings = world.path.join("world.yaml");
    let mut bytes = std::fs::read(&settings).unwrap();
    let offset = bytes.len();
    bytes.extend(b"\xff\n");
    std::fs::write(&settings, bytes).unwrap();
    let (code, _, err) = world.run(&["exec", "-e", "return 1"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("[world/not_utf8]") && err.contains("world.yaml"), "{err}");
    assert!(err.contains(&format!("the byte at offset {offset} is invalid")), "{err}");
}
