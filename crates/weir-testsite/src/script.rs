//! An answer told step by step, for hosts that do what no honest server does.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a host sends in answer to one request. Unless it ends with [`Script::stall`],
/// [`Script::reset`] or [`Script::close`], the connection is kept for the next request.
#[derive(Default)]
pub struct Script {
    pub(crate) steps: Vec<Step>,
}

pub(crate) enum Step {
    Send(Cow<'static, [u8]>),
    Pause(Duration),
    Make(Maker),
    /// Silence until the client goes away.
    Stall,
    Reset,
    Close,
}

/// Appends the next piece of a long answer; `false` ends it.
pub(crate) type Maker = Box<dyn FnMut(&mut Vec<u8>) -> bool + Send>;

/// A request, as a script's maker sees it.
pub struct Asked<'a> {
    /// Path and query.
    pub path: &'a str,
    /// The `host` header.
    pub host: &'a str,
    /// Requests to this host before this one.
    pub nth: u32,
    /// Requests for the same path before this one.
    pub times: u32,
    /// Numbered from 0 in the order they came.
    pub connection: u32,
    /// This host as URLs begin: `http://127.1.0.1:4000`.
    pub home: &'a str,
}

/// Who answers in place of the ordinary pages. `None` leaves a request to them.
#[derive(Clone)]
pub struct Play {
    pub(crate) answer: Arc<Director>,
    /// Sent to a new connection before anything is read from it.
    pub(crate) greeting: Option<fn() -> Script>,
}

pub(crate) type Director = dyn Fn(&Asked<'_>) -> Option<Script> + Send + Sync;

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Play")
    }
}

impl Script {
    /// A whole answer with its length. `headers` are lines, each with its line end.
    pub fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Script {
        let body = body.as_ref();
        let head =
            format!("HTTP/1.1 {status} x\r\n{headers}content-length: {}\r\n\r\n", body.len());
        Script::bytes([head.as_bytes(), body].concat())
    }

    pub fn html(body: impl AsRef<[u8]>) -> Script {
        Script::answer(200, "content-type: text/html; charset=utf-8\r\n", body)
    }

    pub fn redirect(location: &str) -> Script {
        Script::answer(302, &format!("location: {location}\r\n"), "moved\n")
    }

    /// These bytes and no others, whatever they are.
    pub fn bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Script {
        Script::default().send(bytes)
    }

    pub fn send(self, bytes: impl Into<Cow<'static, [u8]>>) -> Script {
        self.step(Step::Send(bytes.into()))
    }

    pub fn pause(self, time: Duration) -> Script {
        self.step(Step::Pause(time))
    }

    /// Pieces that are made as they go out, so that a long answer takes no memory here.
    pub fn make(self, maker: impl FnMut(&mut Vec<u8>) -> bool + Send + 'static) -> Script {
        self.step(Step::Make(Box::new(maker)))
    }

    /// The same bytes again and again until the client goes away.
    pub fn forever(self, piece: &'static [u8]) -> Script {
        self.make(move |out| {
            out.extend_from_slice(piece);
            true
        })
    }

    /// One of these bytes each `pause`, from the start again at their end, for ever.
    pub fn drip(mut self, bytes: &'static [u8], pause: Duration) -> Script {
        // Nobody waits longer than this many pauses; a script has an end like everything else.
        for byte in bytes.iter().cycle().take(DRIPS) {
            self = self.pause(pause).send(std::slice::from_ref(byte));
        }
        self.stall()
    }

    pub fn stall(self) -> Script {
        self.step(Step::Stall)
    }

    pub fn reset(self) -> Script {
        self.step(Step::Reset)
    }

    pub fn close(self) -> Script {
        self.step(Step::Close)
    }

    fn step(mut self, step: Step) -> Script {
        self.steps.push(step);
        self
    }
}

const DRIPS: usize = 3_600;
