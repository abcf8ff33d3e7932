use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::Token;

/// Names by which this machine may call itself. Any port: a forwarded one is still ours.
pub const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// Looks at every request before anything else does.
pub struct Guard {
    token: Token,
    origins: Vec<String>,
}

/// The origins of pages that this server itself could serve.
pub fn own_origins(port: u16) -> Vec<String> {
    HOSTS.iter().map(|host| format!("http://{host}:{port}")).collect()
}

impl Guard {
    pub fn new(token: Token, port: u16) -> Guard {
        Guard { token, origins: own_origins(port) }
    }

    /// A web page must neither reach the server under another name (DNS rebinding: the Host
    /// is the page's), nor from another origin; a process must show the token.
    fn refusal(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        if !host_is_ours(headers) {
            return Some(Refusal::Host);
        }
        if !self.origin_is_ours(headers) {
            return Some(Refusal::Origin);
        }
        if is_health(request) {
            return None;
        }
        if !self.shows_token(headers) {
            return Some(Refusal::Token);
        }
        if request.method() == Method::POST && !is_json(headers) {
            return Some(Refusal::ContentType);
        }
        None
    }

    fn origin_is_ours(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().all(|origin| self.origins.iter().any(|own| origin == own.as_str()))
    }

    fn shows_token(&self, headers: &HeaderMap) -> bool {
        const SCHEME: &str = "bearer ";
        one(headers, AUTHORIZATION).is_some_and(|shown| {
            let shown = shown.as_bytes();
            shown.len() > SCHEME.len()
                && shown[..SCHEME.len()].eq_ignore_ascii_case(SCHEME.as_bytes())
                && self.token.matches(&shown[SCHEME.len()..])
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
    ContentType,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Refusal::Host => (StatusCode::FORBIDDEN, "the Host is not this machine: use 127.0.0.1 or localhost"),
            Refusal::Origin => (StatusCode::FORBIDDEN, "requests from other origins are refused"),
            Refusal::Token => (
                StatusCode::UNAUTHORIZED,
                "show the world's token: `Authorization: Bearer TOKEN`, where TOKEN is the text of .zero/token in the world",
            ),
            Refusal::ContentType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be JSON: `Content-Type: application/json`")
            }
        };
        let mut response = (status, format!("{why}\n")).into_response();
        if self == Refusal::Token {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.refusal(&request) {
        Some(refusal) => {
            tracing::warn!(?refusal, method = %request.method(), path = request.uri().path(), "request refused");
            refusal.into_response()
        }
        None => next.run(request).await,
    }
}

fn is_health(request: &Request) -> bool {
    request.method() == Method::GET && request.uri().path() == "/health"
}

fn host_is_ours(headers: &HeaderMap) -> bool {
    one(headers, HOST)
        .and_then(|host| Authority::try_from(host.as_bytes()).ok())
        .is_some_and(|authority| HOSTS.iter().any(|own| authority.host().eq_ignore_ascii_case(own)))
}

fn is_json(headers: &HeaderMap) -> bool {
    one(headers, CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
        value.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
    })
}

/// The value of a header that must be there once: two are an attempt to be read two ways.
fn one(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
