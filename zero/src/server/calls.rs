use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use zero_base::{CancelFlag, Fault};
use zero_runtime::{Op, Outcome};

use crate::attach::{CallRequest, CancelRequest};
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

pub async fn call(State(calls): State<Arc<Calls>>, body: Bytes) -> Response {
    let request = match parse::<CallRequest>(&body) {
        Ok(request) => request,
        Err(refusal) => return refusal,
    };
    Json(carry_out(calls, request).await).into_response()
}

pub async fn cancel(State(calls): State<Arc<Calls>>, body: Bytes) -> Response {
    let request = match parse::<CancelRequest>(&body) {
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
    let dispatch = calls.dispatch.clone();
    let done = tokio::task::spawn_blocking(move || dispatch.dispatch(caller, request.op)).await;
    under_way.answered = true;
    done.unwrap_or_else(|_| Err(ProgramError::Panicked.into()))
}

fn parse<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Response> {
    serde_json::from_slice(body).map_err(|error| {
        let fault = Fault::new("attach/bad_request", format!("the body is not a request of this protocol: {error}"));
        (StatusCode::BAD_REQUEST, Json(Outcome::Err(fault))).into_response()
    })
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
