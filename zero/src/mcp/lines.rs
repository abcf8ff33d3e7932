//! Standard input and output as lines of JSON. What is no JSON is answered here, as JSON-RPC
//! wants it: whoever sent it waits for an answer.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A longer line is refused; what the server sends back is bounded well below.
const LONGEST_LINE: usize = 32 << 20;
const PIPE_BYTES: usize = 64 << 10;

/// The two ends a server reads from and writes to, and the task that has written everything to
/// `output` when it ends: after the server has dropped its end.
pub fn checked(
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> ((DuplexStream, DuplexStream), JoinHandle<()>) {
    let (to_server, server_in) = tokio::io::duplex(PIPE_BYTES);
    let (server_out, from_server) = tokio::io::duplex(PIPE_BYTES);
    let (refuse, refusals) = mpsc::channel(16);
    tokio::spawn(read(BufReader::new(input), to_server, refuse));
    let written = tokio::spawn(write(BufReader::new(from_server), refusals, output));
    ((server_in, server_out), written)
}

async fn read(mut input: BufReader<impl AsyncRead + Unpin>, mut server: DuplexStream, refuse: mpsc::Sender<Vec<u8>>) {
    while let Ok(Some(line)) = next_line(&mut input).await {
        let why = match &line {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Whole(bytes) => match serde_json::from_slice::<Value>(bytes) {
                Ok(_) if server.write_all(bytes).await.is_ok() => continue,
                Ok(_) => return,
                Err(error) => format!("a message is one line of JSON, and this is none: {error}"),
            },
            Line::TooLong => format!("a message has at most {LONGEST_LINE} bytes"),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": why } });
        if refuse.send(format!("{answer}\n").into_bytes()).await.is_err() {
            return;
        }
    }
}

enum Line {
    /// With its line feed, unless it is the last.
    Whole(Vec<u8>),
    TooLong,
}

async fn next_line(input: &mut BufReader<impl AsyncRead + Unpin>) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let buffer = input.fill_buf().await?;
        let end = buffer.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(buffer.len());
        too_long |= line.len() + taken > LONGEST_LINE;
        if !too_long {
            line.extend_from_slice(&buffer[..taken]);
        }
        let over = buffer.is_empty();
        input.consume(taken);
        if over && line.is_empty() && !too_long {
            return Ok(None);
        }
        if over || end.is_some() {
            return Ok(Some(if too_long { Line::TooLong } else { Line::Whole(line) }));
        }
    }
}

async fn write(
    mut server: BufReader<DuplexStream>,
    mut refusals: mpsc::Receiver<Vec<u8>>,
    mut output: impl AsyncWrite + Unpin,
) {
    let mut line = Vec::new();
    loop {
        tokio::select! {
            // What has been read of a line stays in `line` when the other branch is taken.
            read = server.read_until(b'\n', &mut line) => match read {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                        return;
                    }
                    line.clear();
                }
            },
            Some(refusal) = refusals.recv(), if line.is_empty() => {
                if output.write_all(&refusal).await.is_err() || output.flush().await.is_err() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn what_is_no_json_is_answered_and_the_rest_goes_through() {
        let (mut client, input) = tokio::io::duplex(1 << 20);
        let (output, mut answers) = tokio::io::duplex(1 << 20);
        let ((mut server_in, mut server_out), written) = checked(input, output);
        let long = format!("\"{}\"\n", "x".repeat(LONGEST_LINE));
        let send = async move {
            for line in ["{\"id\":1}\n", "not json\n", "{\"code\":\"\\ud800\"}\n", "\n", &long, "[]\n"] {
                client.write_all(line.as_bytes()).await.unwrap();
            }
            client.write_all(b"\xff\xfe\n{\"id\":2}").await.unwrap();
        };
        let receive = async move {
            let mut seen = String::new();
            server_in.read_to_string(&mut seen).await.unwrap();
            server_out.write_all(b"{\"id\":1,\"result\":{}}\n").await.unwrap();
            seen
        };
        let ((), seen) = tokio::join!(send, receive);
        assert_eq!(seen, "{\"id\":1}\n[]\n{\"id\":2}");
        written.await.unwrap();
        let mut text = String::new();
        answers.read_to_string(&mut text).await.unwrap();
        assert_eq!(text.matches("-32700").count(), 4, "{text}");
        assert!(text.contains("\"id\":null") && text.contains("{\"id\":1,\"result\":{}}\n"), "{text}");
    }
}
