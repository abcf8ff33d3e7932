use std::io::{self, Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use ureq::{Agent, SendBody};
use zero_base::{Caller, Fault};
use zero_runtime::{Op, Outcome};

use super::{CallRequest, CancelRequest, Health, SILENCE_BORNE, Silence, WireCaller};
use crate::server::MAX_ANSWER_BYTES;
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
    /// Nobody is there, or somebody else is: the record is out of date.
    Stale,
    /// Somebody is there and does not answer.
    Silent,
    Failed(ProgramError),
}

impl Remote {
    /// Attaches to the owner that `record` names, after making sure that it is the one that
    /// answers: the token is shown to nobody else.
    pub fn connect(record: &LockRecord) -> Result<Remote, ConnectError> {
        let port = record.port.ok_or(ConnectError::Stale)?;
        let agent = agent();
        let base = format!("http://127.0.0.1:{port}");
        let health = health(&agent, &base)?;
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

    /// Whether the owner says nothing, though it holds its port. One that is gone is not silent:
    /// its connections end.
    fn is_silent(&self) -> bool {
        matches!(health(&self.agent, &self.base), Err(ConnectError::Silent))
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
        // A refusal has a status of its own and is an outcome all the same.
        if let Ok(outcome) = serde_json::from_str(&text) {
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

    /// The owner may hear of it later, or never.
    fn give_up_unheard(&self, id: String) {
        let remote = self.clone();
        std::thread::spawn(move || remote.cancel(&id));
    }

    fn post(&self, path: &str) -> ureq::RequestBuilder<ureq::typestate::WithBody> {
        self.agent
            .post(format!("{}{path}", self.base))
            .header("authorization", format!("Bearer {}", self.token.as_str()))
    }
}

fn health(agent: &Agent, base: &str) -> Result<Health, ConnectError> {
    const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
    let asked = agent.get(format!("{base}/health")).config().timeout_global(Some(ANSWERS_WITHIN)).build().call();
    let read = asked.and_then(|mut response| response.body_mut().read_json::<Health>());
    read.map_err(|error| match error {
        ureq::Error::Timeout(_) => ConnectError::Silent,
        _ => ConnectError::Stale,
    })
}

/// More than an owner sends.
const MAX_REPLY_BYTES: u64 = MAX_ANSWER_BYTES as u64 + 1;

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
        const LOOK_AT_OWNER_EVERY: Duration = Duration::from_secs(2);
        const GIVE_UP_AFTER: Duration = Duration::from_secs(5);
        let id = next_id();
        let request = CallRequest { id: Some(id.clone()), caller: WireCaller::of(&caller), op };
        let (answer, answered) = mpsc::channel();
        let remote = self.clone();
        std::thread::spawn(move || {
            let _ = answer.send(remote.call(&request));
        });
        let mut alive = Instant::now();
        let mut silence = None;
        loop {
            match answered.recv_timeout(LOOK_AT_FLAG_EVERY) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(ProgramError::Panicked.into()),
                Err(RecvTimeoutError::Timeout) if caller.cancel.is_cancelled() => break,
                Err(RecvTimeoutError::Timeout) if alive.elapsed() < LOOK_AT_OWNER_EVERY => {}
                // A call may take as long as it likes, while its owner is alive.
                Err(RecvTimeoutError::Timeout) if self.is_silent() => {
                    if silence.get_or_insert_with(|| Silence::since(alive)).lasts_too_long(self.pid) {
                        self.give_up_unheard(id);
                        let waited_secs = SILENCE_BORNE.as_secs();
                        return Err(ProgramError::OwnerSilent { pid: self.pid, waited_secs, sent: true }.into());
                    }
                }
                Err(RecvTimeoutError::Timeout) => (alive, silence) = (Instant::now(), None),
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
