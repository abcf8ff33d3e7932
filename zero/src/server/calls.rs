use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use zero_base::{CancelFlag, Fault};
use zero_runtime::{Op, Outcome};

use super::{MAX_ANSWER_BYTES, MAX_BODY_BYTES};
use crate::attach::{CallRequest, CancelRequest};
use crate::dispatch::ask;
use crate::{Dispatch, ProgramError};

/// The attached calls under way, by the id their sender chose.
pub struct Calls {
    dispatch: Arc<dyn Dispatch>,
    flags: Mutex<HashMap<String, CancelFlag>>,
}

impl Calls {
    pub fn new(dispatch: Arc<dyn Dispatch>) -> Calls {
        Calls { dispatch, flags: Mutex::default() }
    }
}

pub async fn call(State(calls): State<Arc<Calls>>, body: Result<Bytes, BytesRejection>) -> Response {
    let request = match parse::<CallRequest>(body) {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    let outcome = carry_out(calls, request).await;
    match to_json(&outcome, MAX_ANSWER_BYTES) {
        Some(json) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        None => Json(Outcome::Err(ProgramError::AnswerTooLarge { limit: MAX_ANSWER_BYTES }.into())).into_response(),
    }
}

pub async fn cancel(State(calls): State<Arc<Calls>>, body: Result<Bytes, BytesRejection>) -> Response {
    let request = match parse::<CancelRequest>(body) {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    if let Some(flag) = calls.flags.lock().unwrap_or_else(PoisonError::into_inner).get(&request.id) {
        flag.cancel();
    }
    StatusCode::NO_CONTENT.into_response()
}

async fn carry_out(calls: Arc<Calls>, request: CallRequest) -> Outcome {
    if request.op == Op::Shutdown {
        return Err(ProgramError::ShutdownRefused { pid: std::process::id() }.into());
    }
    let caller = request.caller.into_caller()?;
    // Lives as long as this future: a sender that hangs up gives up its call.
    let mut under_way = UnderWay::enter(&calls, request.id, caller.cancel.clone());
    let outcome = ask(calls.dispatch.clone(), caller, request.op).await;
    under_way.answered = true;
    outcome
}

fn parse<T: serde::de::DeserializeOwned>(body: Result<Bytes, BytesRejection>) -> Result<T, Response> {
    let refuse = |status, fault: Fault| (status, Json(Outcome::Err(fault))).into_response();
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            refuse(StatusCode::PAYLOAD_TOO_LARGE, ProgramError::CallTooLarge { limit: MAX_BODY_BYTES }.into())
        }
        status => refuse(status, Fault::new("attach/bad_request", rejection.body_text())),
    })?;
    serde_json::from_slice(&body).map_err(|error| {
        let fault = Fault::new("attach/bad_request", format!("the body is not a request of this protocol: {error}"));
        refuse(StatusCode::BAD_REQUEST, fault)
    })
}

/// None when it takes more than `limit` bytes, of which no more are made than that.
fn to_json(outcome: &Outcome, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Bounded { bytes: Vec::new(), limit };
    serde_json::to_writer(&mut bytes, outcome).ok().map(|()| bytes.bytes)
}

struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + piece.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct UnderWay {
    calls: Arc<Calls>,
    id: Option<String>,
    flag: CancelFlag,
    answered: bool,
}

impl UnderWay {
    fn enter(calls: &Arc<Calls>, id: Option<String>, flag: CancelFlag) -> UnderWay {
        if let Some(id) = &id {
            calls.flags.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), flag.clone());
        }
        UnderWay { calls: calls.clone(), id, flag, answered: false }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // After the answer the flag belongs to the task that a long call may have become.
        if !self.answered {
            self.flag.cancel();
        }
        if let Some(id) = &self.id {
            self.calls.flags.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use zero_runtime::Answer;

    use super::*;

    #[test]
    fn an_answer_is_made_up_to_its_limit() {
        let outcome: Outcome = Ok(Answer { text: Some("x".repeat(1000)), ..Answer::default() });
        let whole = to_json(&outcome, 2000).unwrap();
        assert_eq!(serde_json::from_slice::<Outcome>(&whole).unwrap(), outcome);
        assert_eq!(to_json(&outcome, whole.len()).as_ref(), Some(&whole));
        assert_eq!(to_json(&outcome, whole.len() - 1), None);
        let refusal = Fault::from(ProgramError::AnswerTooLarge { limit: MAX_ANSWER_BYTES });
        assert_eq!(refusal.code, "attach/answer_too_large");
    }
}
