use std::io::{self, Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ureq::{Agent, SendBody};
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use super::{CallRequest, CancelRequest, Health, WireCaller};
use crate::{Dispatch, LockRecord, ProgramError, Token};

/// A world that another process of this machine owns.
#[derive(Clone)]
pub struct Remote {
    agent: Agent,
    base: String,
    token: Token,
    pid: u32,
}

/// Why no owner could be attached to.
#[derive(Debug)]
pub enum ConnectError {
    /// Nobody answers there, or somebody else does: the record is out of date.
    Stale,
    Failed(ProgramError),
}

impl Remote {
    /// Attaches to the owner that `record` names, after making sure that it is the one that
    /// answers: the token is shown to nobody else.
    pub fn connect(record: &LockRecord) -> Result<Remote, ConnectError> {
        let port = record.port.ok_or(ConnectError::Stale)?;
        let agent = agent();
        let base = format!("http://127.0.0.1:{port}");
        let health = agent
            .get(format!("{base}/health"))
            .config()
            .timeout_global(Some(Duration::from_secs(5)))
            .build()
            .call()
            .ok()
            .and_then(|mut response| response.body_mut().read_json::<Health>().ok())
            .ok_or(ConnectError::Stale)?;
        if (health.pid, health.started_at) != (record.pid, record.started_at) {
            return Err(ConnectError::Stale);
        }
        let token = Token::read(&record.token_path).map_err(ConnectError::Failed)?;
        Ok(Remote { agent, base, token, pid: record.pid })
    }

    /// The process that owns the world.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether both stand for the same process.
    pub fn is_same_as(&self, other: &Remote) -> bool {
        (self.pid, &self.base) == (other.pid, &other.base)
    }

    fn call(&self, request: &CallRequest) -> Outcome {
        let body = serde_json::to_vec(request).expect("a request of plain fields has a JSON form");
        let mut body = Announced { bytes: Cursor::new(body), begun: false };
        // The owner asks for the body once it is going to read it: a call whose body was never
        // asked for was certainly not carried out, whatever became of the connection.
        let sent = self
            .post("/call")
            .header("content-type", "application/json")
            .header("expect", "100-continue")
            .send(SendBody::from_reader(&mut body));
        let gone = |sent| Fault::from(ProgramError::Gone { pid: self.pid, sent });
        let mut response = sent.map_err(|error| {
            tracing::debug!(%error, "the owner is gone");
            gone(body.begun)
        })?;
        let status = response.status().as_u16();
        // A reply holds pictures as text: far more than the client's own default.
        let text = response.body_mut().with_config().limit(MAX_REPLY_BYTES).read_to_string();
        let text = text.map_err(|_| gone(true))?;
        if status == 200
            && let Ok(outcome) = serde_json::from_str(&text)
        {
            return outcome;
        }
        let body = text.chars().take(500).collect();
        Err(ProgramError::Attach { pid: self.pid, status, body }.into())
    }

    /// Asks the owner to give up a call. That it cannot be asked says that it is gone, which
    /// the call itself reports.
    fn cancel(&self, id: &str) {
        let _ = self.post("/cancel").send_json(CancelRequest { id: id.to_owned() });
    }

    fn post(&self, path: &str) -> ureq::RequestBuilder<ureq::typestate::WithBody> {
        self.agent
            .post(format!("{}{path}", self.base))
            .header("authorization", format!("Bearer {}", self.token.as_str()))
    }
}

const MAX_REPLY_BYTES: u64 = 512 << 20;

/// A request body that knows whether any of it has been sent.
struct Announced {
    bytes: Cursor<Vec<u8>>,
    begun: bool,
}

impl Read for Announced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begun = true;
        self.bytes.read(buffer)
    }
}

impl Dispatch for Remote {
    fn dispatch(&self, caller: Caller, op: Op) -> Outcome {
        const LOOK_AT_FLAG_EVERY: Duration = Duration::from_millis(50);
        const GIVE_UP_AFTER: Duration = Duration::from_secs(5);
        let id = next_id();
        let request = CallRequest { id: Some(id.clone()), caller: WireCaller::of(&caller), op };
        let (answer, answered) = mpsc::channel();
        let remote = self.clone();
        std::thread::spawn(move || {
            let _ = answer.send(remote.call(&request));
        });
        loop {
            match answered.recv_timeout(LOOK_AT_FLAG_EVERY) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(ProgramError::Panicked.into()),
                Err(RecvTimeoutError::Timeout) if caller.cancel.is_cancelled() => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.cancel(&id);
        answered.recv_timeout(GIVE_UP_AFTER).unwrap_or_else(|_| Err(ProgramError::Cancelled.into()))
    }
}

/// One connection per call: a pooled one may have been closed by the owner meanwhile, which
/// reads like an owner that ended.
fn agent() -> Agent {
    Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_idle_connections(0)
        .timeout_connect(Some(Duration::from_secs(2)))
        // A busy owner is slow to ask for a body; past this it is sent unasked.
        .timeout_await_100(Some(Duration::from_secs(60)))
        .build()
        .new_agent()
}

fn next_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
