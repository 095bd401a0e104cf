use std::path::Path;
use std::sync::Arc;

use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::files::read_secret;
use super::keys::provider;
use super::{Caller, KeysError, Report};

const HEADER: &str = "authorization";
const SCHEME: &str = "Bearer ";
const BYTES: usize = 32;

/// The secret that a cluster shares: 256 random bits, written as hex. It is never printed, so it
/// has no `Debug`.
#[derive(Clone)]
pub(super) struct Token(Arc<str>);

/// Lets through only calls that carry the token. Without a token, on loopback, it lets all through.
#[derive(Clone)]
pub struct TokenCheck {
    pub(super) token: Option<Token>,
    pub(super) report: Report,
}

/// Adds the token, if there is one, to every call.
#[derive(Clone)]
pub struct TokenAdd {
    header: Option<MetadataValue<Ascii>>,
}

impl Token {
    pub fn random() -> Result<Token, KeysError> {
        let mut bytes = [0; BYTES];
        provider().secure_random.fill(&mut bytes).map_err(|_| KeysError::Random)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()))
    }

    pub fn read(path: &Path) -> Result<Token, KeysError> {
        let text = read_secret(path)?;
        let text = text.trim_end();
        if text.len() != 2 * BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(KeysError::unusable(path, "it is not a token of 64 hex digits"));
        }
        Ok(Token(text.into()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Takes as long for a near miss as for a far one.
    fn is(&self, said: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(said).into()
    }
}

impl Interceptor for TokenCheck {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(token) = &self.token else { return Ok(request) };
        let header = request.metadata().get(HEADER).map(MetadataValue::as_encoded_bytes);
        let why = match header.and_then(|header| header.strip_prefix(SCHEME.as_bytes())) {
            Some(said) if token.is(said) => return Ok(request),
            Some(_) => "the token is wrong: copy the keys folder of the scheduler to this machine",
            None => "the token is missing",
        };
        // A request always has an address unless it came over something else than TCP.
        let from = Caller::of(request.extensions()).address;
        (self.report)(from, told(why));
        Err(Status::unauthenticated(why))
    }
}

/// What the scheduler prints; "this machine" of the answer is the other one here.
fn told(why: &str) -> String {
    format!("a call of the downloader was refused: {}", why.replace("this machine", "its machine"))
}

impl TokenAdd {
    pub(super) fn new(token: Option<&Token>) -> TokenAdd {
        let header = token.and_then(|token| {
            // Hex digits always make a header.
            let mut header: MetadataValue<Ascii> =
                format!("{SCHEME}{}", token.text()).parse().ok()?;
            // Keeps it out of logs and of the table that HTTP/2 compresses headers with.
            header.set_sensitive(true);
            Some(header)
        });
        TokenAdd { header }
    }
}

impl Interceptor for TokenAdd {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.header {
            request.metadata_mut().insert(HEADER, header.clone());
        }
        Ok(request)
    }
}
