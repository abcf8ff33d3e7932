use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde_json::json;
use tokio::runtime::Runtime;
use zero_base::Transport;
use zero_runtime::Answer;

use super::*;
use crate::lock::state_dir;

/// A world, and processes that share it: each [`Backend`] of it is one.
struct Shared {
    world: tempfile::TempDir,
    runtime: Runtime,
    opened: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

impl Shared {
    fn new() -> Shared {
        Shared {
            world: tempfile::tempdir().unwrap(),
            runtime: tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap(),
            opened: Arc::default(),
            ended: Arc::default(),
        }
    }

    /// A process whose engine answers with the number of the opening, and who called.
    fn process(&self, role: Role) -> Backend {
        self.process_with(role, |_, _| None)
    }

    fn process_with(
        &self,
        role: Role,
        answer: impl Fn(&Caller, &Op) -> Option<Outcome> + Send + Sync + Clone + 'static,
    ) -> Backend {
        let (opened, ended) = (self.opened.clone(), self.ended.clone());
        let opener: Opener = Arc::new(move |_| {
            let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
            let (ended, answer) = (ended.clone(), answer.clone());
            Ok(Arc::new(move |caller: Caller, op: Op| {
                if op == Op::Shutdown {
                    ended.fetch_add(1, Ordering::SeqCst);
                }
                let value = json!({ "engine": number, "caller": caller.name, "readOnly": caller.read_only });
                answer(&caller, &op).unwrap_or(Ok(Answer { value, ..Answer::default() }))
            }) as Arc<dyn Dispatch>)
        });
        let open = OpenRequest { world: self.world.path().to_owned(), builtin: None };
        let settings = BackendSettings { open, role, port: 0, grace: Duration::from_secs(20), on_lock_lost: |_| {} };
        Backend::new(settings, opener, self.runtime.handle().clone())
    }

    fn counts(&self) -> (usize, usize) {
        (self.opened.load(Ordering::SeqCst), self.ended.load(Ordering::SeqCst))
    }
}

fn call(backend: &Backend) -> Result<(u64, String), String> {
    let outcome = backend.dispatch(Caller::new("fern", Transport::Shell), Op::Status);
    let read = |answer: Answer| {
        (answer.value["engine"].as_u64().unwrap(), answer.value["caller"].as_str().unwrap().to_owned())
    };
    outcome.map(read).map_err(|fault| fault.code.into_owned())
}

fn ok(engine: u64) -> Result<(u64, String), String> {
    Ok((engine, "fern".to_owned()))
}

fn err(code: &str) -> Result<(u64, String), String> {
    Err(code.to_owned())
}

#[test]
fn the_first_opens_the_rest_attach_and_the_last_to_call_takes_over() {
    let shared = Shared::new();
    let (first, second, third) =
        (shared.process(Role::OneShot), shared.process(Role::Session), shared.process(Role::Session));
    assert_eq!(call(&first), ok(1));
    assert_eq!(call(&second), ok(1));
    assert_eq!(call(&third), ok(1));
    assert!(first.port().is_some() && second.port().is_none());
    assert_eq!(shared.counts(), (1, 0));

    first.close().unwrap();
    assert_eq!(shared.counts(), (1, 1));
    // A conversation is told, once; then it owns the world, and others attach to it.
    assert_eq!(call(&second), err("engine/gone"));
    assert_eq!(call(&second), ok(2));
    assert_eq!(call(&third), err("engine/gone"));
    assert_eq!(call(&third), ok(2));
    assert_eq!(shared.counts(), (2, 1));
    second.close().unwrap();
    third.close().unwrap();
    assert_eq!(shared.counts(), (2, 2));
}

#[test]
fn a_single_command_goes_on_when_the_owner_ends() {
    let shared = Shared::new();
    let (owner, command) = (shared.process(Role::OneShot), shared.process(Role::OneShot));
    assert_eq!(call(&owner), ok(1));
    assert_eq!(call(&command), ok(1));
    owner.close().unwrap();
    assert_eq!(call(&command), ok(2));
    command.close().unwrap();
}

#[test]
fn an_attached_call_under_way_outlives_the_owners_last_command() {
    let shared = Shared::new();
    let (entered, has_entered) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let pair = Arc::new((Mutex::new(entered), Mutex::new(released)));
    let owner = shared.process_with(Role::OneShot, move |_, op| {
        if *op == Op::Hash {
            pair.0.lock().unwrap().send(()).unwrap();
            pair.1.lock().unwrap().recv().unwrap();
        }
        None
    });
    owner.connect().unwrap();
    let attached = shared.process(Role::Session);
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| attached.dispatch(Caller::new("fern", Transport::Shell), Op::Hash));
        has_entered.recv().unwrap();
        let closing = scope.spawn(|| owner.close());
        // A new call is refused while the owner ends; the one under way gets its answer.
        let another = shared.process(Role::Session);
        while call(&another) != err("engine/gone") {}
        assert_eq!(shared.counts(), (1, 0));
        release.send(()).unwrap();
        assert!(slow.join().unwrap().is_ok());
        closing.join().unwrap().unwrap();
    });
    assert_eq!(shared.counts(), (1, 1));
}

#[test]
fn a_second_server_is_refused_and_told_by_whom() {
    let shared = Shared::new();
    let owner = shared.process(Role::Session);
    owner.connect().unwrap();
    let fault = shared.process(Role::Server).connect().unwrap_err();
    assert_eq!(fault.code, "world/owned");
    assert_eq!(fault.data, Some(json!({ "pid": std::process::id(), "port": owner.port() })));
    assert!(fault.message.contains(&std::process::id().to_string()), "{}", fault.message);
    owner.close().unwrap();
    let server = shared.process(Role::Server);
    server.connect().unwrap();
    server.close().unwrap();
}

#[test]
fn callers_that_come_at_once_get_one_engine() {
    let shared = Shared::new();
    let processes: Vec<Backend> = (0..8).map(|_| shared.process(Role::OneShot)).collect();
    std::thread::scope(|scope| {
        let calls: Vec<_> = processes.iter().map(|process| scope.spawn(|| call(process))).collect();
        for called in calls {
            assert_eq!(called.join().unwrap(), ok(1));
        }
    });
    assert_eq!(shared.counts(), (1, 0));
    // In any order: those that attached have nothing to end.
    processes.iter().rev().for_each(|process| process.close().unwrap());
    assert_eq!(shared.counts(), (1, 1));
}

#[test]
fn what_a_dead_owner_left_behind_holds_nobody_up() {
    let shared = Shared::new();
    std::fs::create_dir_all(state_dir(shared.world.path())).unwrap();
    // Its port is somebody else's by now.
    let stranger = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let record = json!({
        "pid": 1, "startedAt": 1, "port": stranger.local_addr().unwrap().port(), "tokenPath": "/nowhere",
    });
    std::fs::write(state_dir(shared.world.path()).join("lock"), record.to_string()).unwrap();
    let process = shared.process(Role::OneShot);
    assert_eq!(call(&process), ok(1));
    process.close().unwrap();
}

#[test]
fn an_owner_that_has_not_opened_its_port_is_waited_for() {
    let shared = Shared::new();
    let mut lock = WorldLock::try_acquire(shared.world.path()).unwrap().unwrap();
    let waiting = shared.process(Role::OneShot);
    std::thread::scope(|scope| {
        let called = scope.spawn(|| call(&waiting));
        // The port of nobody: an owner that died right after it said where it listens.
        lock.publish_port(1).unwrap();
        drop(lock);
        assert_eq!(called.join().unwrap(), ok(1));
    });
    waiting.close().unwrap();
}

#[test]
fn an_engine_that_does_not_open_leaves_the_world_free() {
    let shared = Shared::new();
    let failing: Opener = Arc::new(|_| Err(Fault::new("world/settings", "world.yaml is no YAML")));
    let open = OpenRequest { world: shared.world.path().to_owned(), builtin: None };
    let settings = BackendSettings { open, role: Role::Session, port: 0, grace: Duration::ZERO, on_lock_lost: |_| {} };
    let process = Backend::new(settings, failing, shared.runtime.handle().clone());
    assert_eq!(call(&process), err("world/settings"));
    assert_eq!(call(&process), err("world/settings"));
    assert_eq!(call(&shared.process(Role::OneShot)), ok(1));
}

#[test]
fn who_calls_and_who_gives_up_reaches_the_owner() {
    let shared = Shared::new();
    let (entered, has_entered) = mpsc::channel();
    let entered = Arc::new(Mutex::new(entered));
    let owner = shared.process_with(Role::Session, move |caller, op| {
        if *op == Op::Hash {
            entered.lock().unwrap().send(()).unwrap();
            while !caller.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            return Some(Err(Fault::new("call/cancelled", "given up")));
        }
        None
    });
    owner.connect().unwrap();
    let attached = shared.process(Role::Session);
    let mut caller = Caller::new("moss", Transport::Stdio);
    caller.read_only = true;
    let answer = attached.dispatch(caller.clone(), Op::Status).unwrap();
    assert_eq!((&answer.value["caller"], &answer.value["readOnly"]), (&json!("moss"), &json!(true)));
    std::thread::scope(|scope| {
        let called = scope.spawn(|| attached.dispatch(caller.clone(), Op::Hash));
        has_entered.recv().unwrap();
        caller.cancel.cancel();
        assert_eq!(called.join().unwrap().unwrap_err().code, "call/cancelled");
    });
    owner.close().unwrap();
}

#[test]
fn large_answers_arrive_whole() {
    let shared = Shared::new();
    let text = "x".repeat(20 << 20);
    let sent = text.clone();
    let owner = shared.process_with(Role::Session, move |_, _| {
        Some(Ok(Answer { value: json!({}), text: Some(sent.clone()), ..Answer::default() }))
    });
    owner.connect().unwrap();
    let answer = shared.process(Role::Session).dispatch(Caller::new("a", Transport::Shell), Op::Status).unwrap();
    assert!(answer.text == Some(text));
    owner.close().unwrap();
}

#[test]
fn an_owner_whose_lock_is_taken_away_stays_the_only_one() {
    let shared = Shared::new();
    let (owner, other) = (shared.process(Role::Session), shared.process(Role::OneShot));
    assert_eq!(call(&owner), ok(1));
    std::fs::remove_file(state_dir(shared.world.path()).join("lock")).unwrap();
    assert_eq!(call(&other), ok(1), "it attaches once the owner has put the file back");
    assert!(other.port().is_none());
    assert_eq!(call(&owner), ok(1));
    owner.close().unwrap();
}

#[test]
fn an_owner_that_finds_another_one_writes_no_more() {
    let shared = Shared::new();
    let owner = shared.process(Role::Session);
    assert_eq!(call(&owner), ok(1));
    // As where folders cannot be locked: a file in place of the lock, and somebody who holds it.
    let path = state_dir(shared.world.path()).join("lock");
    std::fs::remove_file(&path).unwrap();
    let usurper = std::fs::File::create(&path).unwrap();
    usurper.lock().unwrap();
    while call(&owner) == ok(1) {
        std::thread::yield_now();
    }
    assert_eq!(call(&owner), err("world/lock_lost"));
    assert_eq!(owner.close().unwrap_err().code, "world/lock_lost");
    assert_eq!(shared.counts(), (1, 0), "not even to end in good order");
}

#[test]
fn an_owner_that_does_not_answer_is_named_and_given_up() {
    let shared = Shared::new();
    let mut lock = WorldLock::try_acquire(shared.world.path()).unwrap().unwrap();
    // The system takes connections for a process that is stopped.
    let stopped = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    lock.publish_port(stopped.local_addr().unwrap().port()).unwrap();
    let fault = shared.process(Role::OneShot).dispatch(Caller::new("fern", Transport::Shell), Op::Status).unwrap_err();
    assert_eq!(fault.code, "world/owner_silent");
    let pid = std::process::id();
    assert_eq!(fault.data, Some(json!({ "pid": pid, "outcomeUnknown": false })));
    for part in ["for 10 s", &format!("kill -CONT {pid}"), "nothing of this call was carried out"] {
        assert!(fault.message.contains(part), "{part}: {}", fault.message);
    }
}

#[test]
fn an_owner_that_stops_during_a_call_is_given_up_with_the_outcome_unknown() {
    use std::io::{Read, Write};
    let shared = Shared::new();
    let mut lock = WorldLock::try_acquire(shared.world.path()).unwrap().unwrap();
    crate::Token::load_or_create(shared.world.path()).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    lock.publish_port(listener.local_addr().unwrap().port()).unwrap();
    let (pid, started_at) = (lock.record().pid, lock.record().started_at);
    std::thread::spawn(move || {
        let (mut first, _) = listener.accept().unwrap();
        let _ = first.read(&mut [0; 4096]);
        let health = json!({ "program": "zero", "version": "0", "pid": pid, "startedAt": started_at }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}", health.len());
        first.write_all(format!("{head}\r\n\r\n{health}").as_bytes()).unwrap();
        // From here on the system takes connections, and nobody reads them.
        std::thread::sleep(Duration::from_secs(60));
        drop(listener);
    });
    let fault = shared.process(Role::Session).dispatch(Caller::new("fern", Transport::Shell), Op::Status).unwrap_err();
    assert_eq!(fault.code, "world/owner_silent", "{}", fault.message);
    assert_eq!(fault.data, Some(json!({ "pid": pid, "outcomeUnknown": true })));
    assert!(fault.message.contains("whether this call took effect is unknown"), "{}", fault.message);
}
