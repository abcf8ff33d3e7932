//! The command lines of `zero` that this automation uses, in one place.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::repo::Repo;

/// The scene a newcomer sees first.
pub const FIRST_SCENE: &str = "@builtin::systems.reflections.demo.polished_floor";

/// The `zero` that a plain build leaves behind, reading the library from this checkout.
pub struct Program {
    pub path: PathBuf,
    pub library: PathBuf,
}

impl Program {
    pub fn of(repo: &Repo) -> Program {
        let path = repo.target.join("debug").join(format!("zero{}", std::env::consts::EXE_SUFFIX));
        Program { path, library: repo.root.clone() }
    }

    pub fn new_world(&self, world: &Path) -> Command {
        self.command(["new".as_ref(), world.as_os_str()])
    }

    /// Plays a scene for so many frames of 1/60 s, without a window.
    pub fn play(&self, world: &Path, scene: &str, frames: u32, picture: Option<&Path>) -> Command {
        let mut command = self.command(["run".as_ref(), "--world".as_ref(), world.as_os_str(), scene.as_ref()]);
        command.args(["--headless", "--frames", &frames.to_string()]);
        if let Some(picture) = picture {
            command.arg("--capture").arg(picture);
        }
        command
    }

    pub fn serve(&self, world: &Path, port: Option<u16>) -> Command {
        let mut command = self.command(["serve".as_ref(), "--world".as_ref(), world.as_os_str()]);
        if let Some(port) = port {
            command.args(["--port", &port.to_string()]);
        }
        command
    }

    /// The suites that lie beside what they test, run by the engine's own `tests` toolbox.
    pub fn run_suites(&self, world: &Path) -> Command {
        self.command(["--world".as_ref(), world.as_os_str(), "tests".as_ref(), "run".as_ref(), "--library".as_ref()])
    }

    /// What an MCP client that starts its servers itself has to be told.
    pub fn stdio_client(&self, world: &Path) -> Value {
        let args =
            [OsStr::new("--builtin"), self.library.as_ref(), "mcp".as_ref(), "--world".as_ref(), world.as_os_str()];
        let args: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
        json!({ "mcpServers": { "zero": { "command": self.path.to_string_lossy(), "args": args } } })
    }

    fn command<const N: usize>(&self, arguments: [&OsStr; N]) -> Command {
        let mut command = Command::new(&self.path);
        command.arg("--builtin").arg(&self.library).args(arguments);
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            // Mesa's device chooser asks the desktop, and complains where there is none.
            command.env("NODEVICE_SELECT", "1");
        }
        command
    }
}

/// A running server, as it describes itself in its world.
#[derive(Debug, PartialEq, Eq)]
pub struct Server {
    pub port: u16,
    pub token: String,
}

impl Server {
    /// None until process `pid` owns the world and listens.
    pub fn find(world: &Path, pid: u32) -> Option<Server> {
        let record: Value = serde_json::from_slice(&fs::read(world.join(".zero/lock")).ok()?).ok()?;
        if record["pid"].as_u64() != Some(u64::from(pid)) {
            return None;
        }
        let port = u16::try_from(record["port"].as_u64()?).ok()?;
        let token = fs::read_to_string(record["tokenPath"].as_str()?).ok()?.trim().to_owned();
        Some(Server { port, token })
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// What an MCP client that connects to a running server has to be told.
    pub fn http_client(&self) -> Value {
        let headers = json!({ "Authorization": format!("Bearer {}", self.token) });
        json!({ "mcpServers": { "zero": { "type": "http", "url": self.address(), "headers": headers } } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::shown;

    fn program() -> Program {
        Program { path: "/repo/target/debug/zero".into(), library: "/repo".into() }
    }

    #[test]
    fn every_command_reads_the_library_from_the_checkout() {
        let (program, world) = (program(), Path::new("worlds/w"));
        let played = program.play(world, FIRST_SCENE, 60, Some(Path::new("a.png")));
        let expected = format!(
            "/repo/target/debug/zero --builtin /repo run --world worlds/w {FIRST_SCENE} --headless --frames 60 --capture a.png"
        );
        assert_eq!(shown(&played), expected);
        assert!(shown(&program.serve(world, Some(7000))).ends_with("serve --world worlds/w --port 7000"));
        for command in [program.new_world(world), program.run_suites(world), program.serve(world, None)] {
            assert!(shown(&command).contains("--builtin /repo"), "{}", shown(&command));
        }
    }

    #[test]
    fn a_client_configuration_is_complete() {
        let server = &program().stdio_client(Path::new("/worlds/w"))["mcpServers"]["zero"];
        assert_eq!(server["command"], "/repo/target/debug/zero");
        assert_eq!(server["args"], json!(["--builtin", "/repo", "mcp", "--world", "/worlds/w"]));
        let server = Server { port: 4100, token: "abc".into() };
        let client = &server.http_client()["mcpServers"]["zero"];
        assert_eq!(client["url"], "http://127.0.0.1:4100/mcp");
        assert_eq!(client["headers"]["Authorization"], "Bearer abc");
    }

    #[test]
    fn a_server_is_found_once_it_listens() {
        let world = tempfile::tempdir().unwrap();
        let find = |pid| Server::find(world.path(), pid);
        assert_eq!(find(7), None);
        fs::create_dir(world.path().join(".zero")).unwrap();
        let token = world.path().join(".zero/token");
        fs::write(&token, "abc\n").unwrap();
        let record = |port: Value| json!({ "pid": 7, "startedAt": 1, "port": port, "tokenPath": token }).to_string();
        fs::write(world.path().join(".zero/lock"), record(Value::Null)).unwrap();
        assert_eq!(find(7), None);
        fs::write(world.path().join(".zero/lock"), record(json!(4100))).unwrap();
        assert_eq!(find(7), Some(Server { port: 4100, token: "abc".into() }));
        assert_eq!(find(8), None);
    }
}
