use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde_json::{Value, json};
use zero_base::Caller;
use zero_runtime::{Answer, Op, Outcome};

use super::*;

struct Fixture {
    server: Server,
    token: String,
    calls: Arc<AtomicUsize>,
    runtime: tokio::runtime::Runtime,
}

fn serve(answer: impl Fn(Caller, Op) -> Outcome + Send + Sync + 'static) -> Fixture {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let dispatch = move |caller: Caller, op: Op| {
        counted.fetch_add(1, Ordering::SeqCst);
        answer(caller, op)
    };
    serve_by(Arc::new(dispatch), calls)
}

fn serve_by(dispatch: Arc<dyn Dispatch>, calls: Arc<AtomicUsize>) -> Fixture {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).max_blocking_threads(2).enable_all().build().unwrap();
    let token = Token::random();
    let settings = ServerSettings { listener: listen(0).unwrap(), token: token.clone(), dispatch, started_at: 7 };
    let server = Server::start(runtime.handle(), settings).unwrap();
    Fixture { server, token: token.as_str().to_owned(), calls, runtime }
}

fn echo() -> Fixture {
    serve(|caller, op| Ok(Answer { value: json!({ "name": caller.name, "op": op }), ..Answer::default() }))
}

impl Fixture {
    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.server.port())).unwrap()
    }

    /// Sends a request as written, but for `PORT` and `TOKEN`; answers status and body.
    fn raw(&self, request: &str) -> (u16, String) {
        let request = request.replace("PORT", &self.server.port().to_string()).replace("TOKEN", &self.token);
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        (status, reply.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
    }

    fn post(&self, path: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn ends(self) {
        self.server.stop(Duration::from_secs(5));
        self.runtime.shutdown_background();
    }
}

const GOOD: &str = "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n";
const STATUS_CALL: &str = r#"{"caller":{"name":"fern","transport":"shell"},"op":{"op":"status"}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

#[test]
fn a_good_request_reaches_the_engine() {
    let fixture = echo();
    let (status, body) = fixture.post("/call", GOOD, STATUS_CALL);
    let outcome: Outcome = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &outcome.unwrap().value["name"]), (200, &json!("fern")));
    let headers = format!("{GOOD}Accept: application/json, text/event-stream\r\n");
    let mut stream = fixture.connect();
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n{INITIALIZE}",
        headers.replace("PORT", &fixture.server.port().to_string()).replace("TOKEN", &fixture.token),
        INITIALIZE.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = [0; 4096];
    let mut text = String::new();
    while !text.contains("\"serverInfo\"") {
        let count = stream.read(&mut reply).unwrap();
        assert!(count > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&reply[..count]));
    }
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("\"name\":\"zero\""), "{text}");
    drop(stream);
    fixture.ends();
}

#[test]
fn every_door_is_closed_to_strangers() {
    let fixture = echo();
    let cases: &[(u16, &str, &str)] = &[
        (
            403,
            "another name for this machine",
            "Host: evil.example:PORT\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            403,
            "a name that ends like ours",
            "Host: localhost.evil.example\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            403,
            "two names",
            "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            403,
            "a page of another site",
            "Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            403,
            "a page of another port",
            "Host: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:1\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            403,
            "a page of no site",
            "Host: 127.0.0.1:PORT\r\nOrigin: null\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (401, "no token", "Host: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"),
        (
            401,
            "another token",
            "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer 0TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (401, "half a header", "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer \r\nContent-Type: application/json\r\n"),
        (
            401,
            "another scheme",
            "Host: 127.0.0.1:PORT\r\nAuthorization: Basic TOKEN\r\nContent-Type: application/json\r\n",
        ),
        (
            415,
            "a form of a page",
            "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nContent-Type: text/plain\r\n",
        ),
        (415, "no content type", "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"),
    ];
    for path in ["/call", "/cancel", "/mcp"] {
        for (expected, what, headers) in cases {
            let (status, body) = fixture.post(path, headers, STATUS_CALL);
            assert_eq!(status, *expected, "{path}, {what}: {body}");
        }
    }
    for (what, headers) in
        [("own page", "Origin: http://127.0.0.1:PORT\r\n"), ("own name", "Origin: http://localhost:PORT\r\n")]
    {
        assert_eq!(fixture.post("/call", &format!("{GOOD}{headers}"), STATUS_CALL).0, 200, "{what}");
    }
    // Reading needs the token as well; only that somebody is alive is told to anybody here.
    let get = |path: &str, headers: &str| {
        fixture.raw(&format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).0
    };
    assert_eq!(get("/mcp", "Host: 127.0.0.1:PORT\r\n"), 401);
    assert_eq!(get("/anything", "Host: 127.0.0.1:PORT\r\n"), 401);
    assert_eq!(get("/anything", "Host: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n"), 404);
    assert_eq!(get("/health", "Host: 127.0.0.1:PORT\r\n"), 200);
    assert_eq!(get("/health", "Host: evil.example\r\n"), 403);
    assert_eq!(get("/health", "Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example\r\n"), 403);
    assert_eq!(fixture.post("/health", "Host: 127.0.0.1:PORT\r\n", "{}").0, 401);
    assert_eq!(fixture.calls.load(Ordering::SeqCst), 2, "only the two good calls reached the engine");
    fixture.ends();
}

#[test]
fn health_tells_who_listens_and_nothing_of_the_world() {
    let fixture = echo();
    let (_, body) = fixture.raw("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let health: Value = serde_json::from_str(&body).unwrap();
    let names: Vec<&String> = health.as_object().unwrap().keys().collect();
    assert_eq!(names, ["program", "version", "pid", "startedAt"]);
    assert_eq!((&health["pid"], &health["startedAt"]), (&json!(std::process::id()), &json!(7)));
    fixture.ends();
}

#[test]
fn a_body_that_is_too_long_is_refused_unread() {
    let fixture = echo();
    for path in ["/call", "/mcp"] {
        let accept = "Accept: application/json, text/event-stream\r\n";
        let declared = MAX_BODY_BYTES + 1;
        let head =
            format!("POST {path} HTTP/1.1\r\n{GOOD}{accept}Connection: close\r\nContent-Length: {declared}\r\n\r\n");
        let head = head.replace("PORT", &fixture.server.port().to_string()).replace("TOKEN", &fixture.token);
        let mut stream = fixture.connect();
        stream.write_all(head.as_bytes()).unwrap();
        // The server may close before all is sent.
        let piece = vec![b' '; 1 << 20];
        for _ in 0..=MAX_BODY_BYTES / piece.len() {
            if stream.write_all(&piece).is_err() {
                break;
            }
        }
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        // A connection reset may eat the answer; what counts is that nothing was carried out.
        let text = String::from_utf8_lossy(&reply);
        let is_refusal = text.starts_with("HTTP/1.1 413")
            && text.contains(if path == "/call" { "attach/call_too_large" } else { "-32600" });
        assert!(text.is_empty() || is_refusal, "{path}: {text}");
    }
    assert_eq!(fixture.calls.load(Ordering::SeqCst), 0);
    fixture.ends();
}

#[test]
fn requests_that_are_none_of_the_protocol_are_refused_by_name() {
    let fixture = echo();
    for (body, part) in [
        ("{", "EOF"),
        (r#"{"caller":{"name":"a","transport":"shell"},"op":{"op":"explode"}}"#, "explode"),
        (r#"{"caller":{"name":"a","transport":"shell","root":true},"op":{"op":"status"}}"#, "root"),
    ] {
        let (status, answer) = fixture.post("/call", GOOD, body);
        assert_eq!(status, 400, "{body}");
        assert!(answer.contains("attach/bad_request") && answer.contains(part), "{answer}");
    }
    let named =
        |name: &str, op: &str| format!(r#"{{"caller":{{"name":"{name}","transport":"shell"}},"op":{{"op":"{op}"}}}}"#);
    let fault =
        |body: &str| serde_json::from_str::<Outcome>(&fixture.post("/call", GOOD, body).1).unwrap().unwrap_err();
    assert_eq!(fault(&named("Fern Gully", "status")).code, "caller/name");
    assert_eq!(fault(&named("fern", "shutdown")).code, "engine/not_yours");
    assert_eq!(fixture.calls.load(Ordering::SeqCst), 0);
    fixture.ends();
}

#[test]
fn messages_that_are_none_of_the_protocol_are_refused_as_json_rpc_says() {
    let fixture = echo();
    let headers = format!("{GOOD}Accept: application/json, text/event-stream\r\n");
    for (body, code, id, part) in [
        ("", -32700, json!(null), "not JSON"),
        ("{\"jsonrpc\":", -32700, json!(null), "not JSON"),
        ("\u{feff}{}", -32700, json!(null), "not JSON"),
        (&format!("[{INITIALIZE}]"), -32600, json!(null), "batch"),
        ("[]", -32600, json!(null), "batch"),
        ("{}", -32600, json!(null), "JSON-RPC 2.0"),
        ("3", -32600, json!(null), "JSON-RPC 2.0"),
        (r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, -32600, json!(4), "JSON-RPC 2.0"),
    ] {
        let (status, answer) = fixture.post("/mcp", &headers, body);
        assert_eq!(status, 400, "{body}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id), "{body}");
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{body}: {answer}");
    }
    fixture.ends();
}

/// Waits with `hash` for ever, and answers all else at once.
struct Patient(mpsc::Sender<crate::dispatch::Reply>);

impl Dispatch for Patient {
    fn dispatch(&self, _: Caller, _: Op) -> Outcome {
        unreachable!("nobody blocks")
    }

    fn begin(self: Arc<Self>, _: Caller, op: Op, reply: crate::dispatch::Reply) {
        match op {
            Op::Hash => self.0.send(reply).unwrap(),
            _ => reply.send(Ok(Answer::default())),
        }
    }
}

#[test]
fn calls_that_wait_hold_no_thread() {
    let (waits, waiting) = mpsc::channel();
    let fixture = serve_by(Arc::new(Patient(waits)), Arc::default());
    let body = STATUS_CALL.replace("status", "hash");
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20).map(|_| scope.spawn(|| fixture.post("/call", GOOD, &body).0)).collect();
        let replies: Vec<_> = (0..20).map(|_| waiting.recv().unwrap()).collect();
        // More wait than there are threads to wait on, and others are served.
        assert_eq!(fixture.post("/call", GOOD, STATUS_CALL).0, 200);
        replies.into_iter().for_each(|reply| reply.send(Ok(Answer::default())));
        calls.into_iter().for_each(|call| assert_eq!(call.join().unwrap(), 200));
    });
    fixture.ends();
}

/// An engine that answers once its caller gives up, and says that it did.
fn patient() -> (Fixture, mpsc::Receiver<()>, mpsc::Receiver<()>) {
    let (entered, has_entered) = mpsc::channel();
    let (left, has_left) = mpsc::channel();
    let fixture = serve(move |caller, _| {
        entered.send(()).unwrap();
        while !caller.cancel.is_cancelled() {
            std::thread::yield_now();
        }
        left.send(()).unwrap();
        Ok(Answer::default())
    });
    (fixture, has_entered, has_left)
}

#[test]
fn a_sender_that_hangs_up_gives_up_its_call() {
    let (fixture, entered, left) = patient();
    let headers = GOOD.replace("PORT", &fixture.server.port().to_string()).replace("TOKEN", &fixture.token);
    let mut stream = fixture.connect();
    write!(stream, "POST /call HTTP/1.1\r\n{headers}Content-Length: {}\r\n\r\n{STATUS_CALL}", STATUS_CALL.len())
        .unwrap();
    entered.recv().unwrap();
    drop(stream);
    left.recv().unwrap();
    fixture.ends();
}

#[test]
fn a_call_is_cancelled_by_its_id() {
    let (fixture, entered, left) = patient();
    std::thread::scope(|scope| {
        let body = r#"{"id":"c1","caller":{"name":"a","transport":"shell"},"op":{"op":"status"}}"#;
        let called = scope.spawn(|| fixture.post("/call", GOOD, body));
        entered.recv().unwrap();
        assert_eq!(fixture.post("/cancel", GOOD, r#"{"id":"another"}"#).0, 204);
        assert!(left.try_recv().is_err());
        assert_eq!(fixture.post("/cancel", GOOD, r#"{"id":"c1"}"#).0, 204);
        assert_eq!(called.join().unwrap().0, 200);
    });
    left.recv().unwrap();
    fixture.ends();
}

#[test]
fn nobody_is_reached_but_through_loopback() {
    let fixture = echo();
    let listener = listen(0).unwrap();
    assert!(listener.local_addr().unwrap().ip().is_loopback());
    let taken = fixture.server.port();
    let error = listen(taken).unwrap_err();
    assert_eq!(error.code(), "zero/listen");
    assert!(error.to_string().contains("--port"), "{error}");
    fixture.ends();
}
