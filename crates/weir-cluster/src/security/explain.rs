use std::error::Error;
use std::io;
use std::iter::successors;

use rustls::{AlertDescription, CertificateError, InvalidMessage};
use tonic::{Code, Status};

use super::connector::TlsOnly;
use super::keys::day_of;

const COPY: &str = "copy the keys folder of the scheduler to the machine of the downloader";
const RENEW: &str = "make new keys with `weir cluster init --force` and copy them to every machine";

/// What a failed connection or call means to a downloader, and what to do about it. Takes a
/// `tonic::transport::Error` or a `tonic::Status`; the address is for the caller to add.
pub fn explain(error: &(dyn Error + 'static)) -> String {
    told(error, "scheduler")
}

/// The same for a task whose bank is in the driver.
pub fn explain_bank(error: &(dyn Error + 'static)) -> String {
    told(error, "driver")
}

/// The same for the scheduler, about a downloader whose handshake failed.
pub(super) fn explain_peer(error: &(dyn Error + 'static)) -> String {
    told(error, "downloader")
}

/// The innermost cause that is known says most; without one, all causes are told.
fn told(error: &(dyn Error + 'static), peer: &str) -> String {
    let causes: Vec<_> = successors(Some(error), |error| cause(*error)).collect();
    let known = causes.iter().rev().find_map(|error| known(*error, peer));
    known.unwrap_or_else(|| {
        let mut words: Vec<String> = causes.iter().map(|error| plainly(*error)).collect();
        words.dedup();
        words.join(": ")
    })
}

/// What a status says, without its code and all that it wraps.
fn plainly(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref::<Status>() {
        Some(status) => status.message().to_owned(),
        None => error.to_string(),
    }
}

/// Like `source`, but does not skip what an `io::Error` wraps.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

fn known(error: &(dyn Error + 'static), peer: &str) -> Option<String> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return tls(error, peer);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return network(error, peer);
    }
    if let Some(error) = error.downcast_ref::<Status>() {
        return status(error);
    }
    error.downcast_ref::<TlsOnly>().map(ToString::to_string)
}

fn tls(error: &rustls::Error, peer: &str) -> Option<String> {
    match error {
        rustls::Error::InvalidCertificate(why) => certificate(why, peer),
        rustls::Error::AlertReceived(alert) => refusal(*alert, peer),
        rustls::Error::NoCertificatesPresented => {
            Some(format!("the {peer} shows no certificate: start it with --keys DIR; {COPY}"))
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => Some(format!(
            "the {peer} does not speak TLS: start it with --keys DIR, or call http:// if it is \
             this machine"
        )),
        _ => None,
    }
}

/// What we found wrong with the certificate of the other side.
fn certificate(why: &CertificateError, peer: &str) -> Option<String> {
    use CertificateError::*;
    Some(match why {
        UnknownIssuer | BadSignature => format!(
            "the certificate of the {peer} is from another authority, so it has keys of another \
             cluster: {COPY}"
        ),
        ExpiredContext { not_after, .. } => {
            format!("the certificate of the {peer} expired on {}: {RENEW}", day_of(*not_after))
        }
        NotValidYetContext { not_before, .. } => format!(
            "the certificate of the {peer} is not valid before {}: check the clocks of both \
             machines",
            day_of(*not_before)
        ),
        NotValidForNameContext { expected, .. } => {
            let name = expected.to_str();
            format!(
                "the certificate of the {peer} is not for the name {name}: call it by a name that \
                 it was made for, or make new keys with `weir cluster init --name {name} --force` \
                 and copy them to every machine"
            )
        }
        InvalidPurposeContext { .. } => {
            format!("the {peer} shows a certificate that is for the other side: {COPY}")
        }
        _ => return None,
    })
}

/// What the other side found wrong with our certificate.
fn refusal(alert: AlertDescription, peer: &str) -> Option<String> {
    Some(match alert {
        AlertDescription::CertificateRequired => {
            format!("the {peer} wants a certificate and we showed none: start with --keys DIR")
        }
        AlertDescription::UnknownCA | AlertDescription::DecryptError => format!(
            "the {peer} refuses our certificate as being from another authority, so it has keys \
             of another cluster: {COPY}"
        ),
        AlertDescription::CertificateExpired => {
            format!("the {peer} refuses our certificate as expired: {RENEW}, or correct its clock")
        }
        AlertDescription::BadCertificate => format!(
            "the {peer} refuses our certificate, most likely since it called us by a name that is \
             not in it: make new keys with `weir cluster init --name NAME --force` and copy them \
             to every machine"
        ),
        _ => return None,
    })
}

fn network(error: &io::Error, peer: &str) -> Option<String> {
    use io::ErrorKind::*;
    Some(match error.kind() {
        ConnectionRefused => format!(
            "nothing listens there: start the {peer}, and compare the port with the one it prints"
        ),
        TimedOut => format!(
            "the {peer} does not answer: check the address, and whether a firewall is between"
        ),
        UnexpectedEof | ConnectionReset | BrokenPipe => {
            format!("the {peer} closed the connection early: its own messages say why")
        }
        _ if error.to_string().contains("failed to lookup address") => {
            format!("the host name of the {peer} is not known here: check how it is written")
        }
        _ => return None,
    })
}

fn status(status: &Status) -> Option<String> {
    let message = status.message();
    match status.code() {
        // Ours, and made for the reader.
        Code::Unauthenticated => Some(message.to_owned()),
        Code::OutOfRange if message.contains("message length too large") => {
            Some(format!("a message is larger than the other side takes ({message})"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_wrong_before_tls_is_told_in_plain_words() {
        let check = |error: io::Error, words: &str| {
            let told = explain(&error);
            assert!(told.contains(words), "{told}");
        };
        check(io::ErrorKind::ConnectionRefused.into(), "nothing listens there");
        check(io::ErrorKind::TimedOut.into(), "does not answer");
        check(io::ErrorKind::ConnectionReset.into(), "closed the connection early");
        let unknown = "failed to lookup address information: Name or service not known";
        check(io::Error::other(unknown), "the host name of the scheduler is not known here");
    }

    #[test]
    fn what_is_not_known_is_told_as_it_is() {
        let wrapped = io::Error::other(rustls::Error::General("odd".to_owned()));
        assert_eq!(explain(&wrapped), "unexpected error: odd");
        assert_eq!(explain(&Status::internal("no lease 7")), "no lease 7");
    }
}
