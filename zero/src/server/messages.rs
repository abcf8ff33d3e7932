use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use serde_json::{Value, json};

use super::MAX_BODY_BYTES;

/// Looks at what is posted to `/mcp` before the protocol's library does, which answers all that
/// it cannot read as if it were no JSON by its type.
pub async fn check(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_BODY_BYTES).await else {
        let message = format!("a message has at most {MAX_BODY_BYTES} bytes");
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, Refusal::request(Value::Null, message));
    };
    match read(&bytes) {
        Ok(()) => next.run(http::Request::from_parts(head, Body::from(bytes))).await,
        Err(refusal) => refuse(StatusCode::BAD_REQUEST, refusal),
    }
}

struct Refusal {
    id: Value,
    code: ErrorCode,
    message: String,
}

impl Refusal {
    fn request(id: Value, message: impl Into<String>) -> Refusal {
        Refusal { id, code: ErrorCode::INVALID_REQUEST, message: message.into() }
    }
}

fn read(bytes: &Bytes) -> Result<(), Refusal> {
    let message: Value = serde_json::from_slice(bytes).map_err(|error| Refusal {
        id: Value::Null,
        code: ErrorCode::PARSE_ERROR,
        message: format!("the body is not JSON: {error}"),
    })?;
    if message.is_array() {
        let why = "the body is a batch, which this revision of the protocol does not have: post each message alone";
        return Err(Refusal::request(Value::Null, why));
    }
    let id = Some(&message["id"]).filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
    if let Err(error) = serde_json::from_value::<ClientJsonRpcMessage>(message) {
        tracing::debug!(%error, "a message is none of the protocol");
        let why =
            "the body is no message of JSON-RPC 2.0: {\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}";
        return Err(Refusal::request(id, why));
    }
    Ok(())
}

fn refuse(status: StatusCode, refusal: Refusal) -> Response {
    let error = json!({ "code": refusal.code.0, "message": refusal.message });
    (status, Json(json!({ "jsonrpc": "2.0", "id": refusal.id, "error": error }))).into_response()
}
