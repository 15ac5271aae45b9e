//! As much of HTTP/1.1 as agents use: whole requests in, whole or chunked answers out.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An idle connection is left after so long.
const IDLE_LIMIT: Duration = Duration::from_mins(5);

/// One request.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: String,
    /// Without what follows `?`.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// One connection of an agent.
#[derive(Debug)]
pub(super) struct Connection {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IDLE_LIMIT))?;
        Ok(Self { writer: stream.try_clone()?, reader: BufReader::new(stream) })
    }

    /// The next request; none at the end, and after anything that is no request.
    pub(super) fn next(&mut self) -> Option<Incoming> {
        self.read().ok()
    }

    fn read(&mut self) -> Result<Incoming> {
        let first = self.line()?;
        let mut words = first.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(Error::from(ErrorKind::InvalidData));
        };
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                "expect" => self.writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if is_chunked { self.chunks()? } else { self.bytes(length)? };
        let path = target.split('?').next().unwrap_or(target).to_owned();
        Ok(Incoming { method: method.to_owned(), path, body })
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        Ok(line.trim_end().to_owned())
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let length = usize::from_str_radix(&line, 16)
                .map_err(|_| Error::from(ErrorKind::InvalidData))?;
            body.extend(self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    /// A whole answer of JSON.
    pub(super) fn json(&mut self, status: u16, value: &Value) -> Result<()> {
        self.whole(status, &[], value.to_string().as_bytes())
    }

    /// A whole answer with more headers.
    pub(super) fn whole(&mut self, status: u16, more: &[(&str, &str)], body: &[u8]) -> Result<()> {
        let more = more.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!(
            "HTTP/1.1 {status} Fake\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{}\r\n",
            body.len(),
            more.collect::<String>()
        );
        self.writer.write_all(head.as_bytes())?;
        self.writer.write_all(body)
    }

    /// The head of an answer in server-sent events.
    pub(super) fn begin_stream(&mut self) -> Result<()> {
        let head = "HTTP/1.1 200 Fake\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n";
        self.writer.write_all(head.as_bytes())
    }

    /// One event, named where the format names events.
    pub(super) fn event(&mut self, name: Option<&str>, data: &str) -> Result<()> {
        let name = name.map(|it| format!("event: {it}\n")).unwrap_or_default();
        let event = format!("{name}data: {data}\n\n");
        let chunk = format!("{:x}\r\n{event}\r\n", event.len());
        self.writer.write_all(chunk.as_bytes())
    }

    /// The end of a whole stream.
    pub(super) fn end_stream(&mut self) -> Result<()> {
        self.writer.write_all(b"0\r\n\r\n")
    }

    /// The end of a stream that is not whole.
    pub(super) fn cut(&mut self) -> Result<()> {
        self.writer.shutdown(Shutdown::Both)?;
        Err(Error::from(ErrorKind::ConnectionAborted))
    }
}
