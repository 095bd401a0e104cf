use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::TokioResolver;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::Host;

use crate::address::is_private;
use crate::request::Target;
use crate::{Failure, Override};

/// From names to addresses: overrides first, then /etc/hosts and the system's name servers, whose
/// answers are kept as long as they say.
pub struct Names {
    overrides: Vec<Override>,
    accept_private: bool,
    limit: Duration,
    /// Made at the first lookup, so that a crawl of bare addresses needs no name server.
    resolver: OnceCell<TokioResolver>,
}

/// A zone may name thousands; more than the first few are never tried.
const MOST_ADDRESSES: usize = 16;
/// Answers kept; one is a few hundred bytes.
const CACHE_SIZE: u64 = 4096;

impl Names {
    pub fn new(overrides: Vec<Override>, accept_private: bool, limit: Duration) -> Self {
        Names { overrides, accept_private, limit, resolver: OnceCell::new() }
    }

    /// Addresses that may be connected to, in the order to try; never none.
    pub async fn addresses(&self, target: &Target<'_>) -> Result<Vec<SocketAddr>, Failure> {
        let found = match target.url_host() {
            _ if self.overridden(target).is_some() => self.overridden(target).unwrap_or_default(),
            Host::Ipv4(ip) => vec![SocketAddr::new(IpAddr::V4(ip), target.port)],
            Host::Ipv6(ip) => vec![SocketAddr::new(IpAddr::V6(ip), target.port)],
            Host::Domain(name) => self.look_up(name, target.port).await?,
        };
        self.permitted(target, found)
    }

    /// What may be connected to of `found`, whoever found it.
    pub fn permitted(
        &self,
        target: &Target<'_>,
        mut found: Vec<SocketAddr>,
    ) -> Result<Vec<SocketAddr>, Failure> {
        let host = || target.host().to_owned();
        let first = *found.first().ok_or_else(|| Failure::NoAddress { host: host() })?;
        if !self.accept_private {
            found.retain(|address| !is_private(address.ip()));
        }
        if found.is_empty() {
            return Err(Failure::Private { host: host(), address: first.ip() });
        }
        found.truncate(MOST_ADDRESSES);
        Ok(found)
    }

    fn overridden(&self, target: &Target<'_>) -> Option<Vec<SocketAddr>> {
        let answer = |entry: &Override| Some(entry.answer(target.host(), target.port)?.collect());
        self.overrides.iter().find_map(answer)
    }

    async fn look_up(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
        let dns = |why: String| Failure::Dns { host: name.to_owned(), why };
        let resolver = self.resolver.get_or_try_init(async || resolver()).await.map_err(dns)?;
        // The final dot keeps the search domains of this machine out of it.
        let full = if name.ends_with('.') { name.to_owned() } else { format!("{name}.") };
        let looked_up = timeout(self.limit, resolver.lookup_ip(full)).await;
        match looked_up.map_err(|_| dns("no answer in time".to_owned()))? {
            Ok(answer) => Ok(answer.iter().map(|ip| SocketAddr::new(ip, port)).collect()),
            Err(error) if error.is_no_records_found() => {
                Err(Failure::NoAddress { host: name.to_owned() })
            }
            Err(error) => Err(dns(error.to_string())),
        }
    }
}

fn resolver() -> Result<TokioResolver, String> {
    let unusable = |error| format!("the system's DNS configuration cannot be used: {error}");
    let mut builder = TokioResolver::builder_tokio().map_err(unusable)?;
    builder.options_mut().cache_size = CACHE_SIZE;
    builder.build().map_err(unusable)
}
