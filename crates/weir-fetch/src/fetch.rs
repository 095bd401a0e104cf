use std::future::poll_fn;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::task::Poll;

use http::HeaderMap;
use tokio::net::TcpSocket;
use tokio::time::{Instant, timeout_at};
use url::Url;
use weir_types::{Cut, Page};

use crate::connect::{Stream, connect};
use crate::exchange::{Broken, exchange};
use crate::incoming::Incoming;
use crate::link::Link;
use crate::names::Names;
use crate::pool::Pool;
use crate::request::{Target, Template};
use crate::room::Room;
use crate::shaper::{Claim, Connects, Permit, Shaper, Share};
use crate::tls::Tls;
use crate::wire::Wire;
use crate::{Failure, FetchConfig, Limits, SetupError};

/// Fetches pages over connections that it keeps. One for each thread; its futures must run inside
/// a `LocalSet`.
pub struct Fetcher {
    template: Template,
    names: Names,
    tls: Tls,
    pool: Rc<Pool>,
    limits: Limits,
    room: Room,
    received: Arc<AtomicU64>,
    shaper: Option<Shaper>,
}

impl FetchConfig {
    /// Whether a fetcher can be made of it, for who wants to know before anything is begun.
    pub fn check(&self) -> Result<(), SetupError> {
        Template::new(&self.user_agent)?;
        Tls::new(self.roots.clone()).map(|_| ())
    }
}

impl Fetcher {
    pub fn new(config: FetchConfig) -> Result<Fetcher, SetupError> {
        Ok(Fetcher {
            template: Template::new(&config.user_agent)?,
            names: Names::new(config.resolve, config.accept_private, config.limits.connect),
            tls: Tls::new(config.roots)?,
            pool: Pool::new(config.idle_connections, config.idle_time),
            limits: config.limits,
            room: Room::new(config.body_memory, config.spool),
            received: config.received,
            shaper: config.shaper,
        })
    }

    /// One GET and its answer, whatever its status. Redirects are not followed.
    pub async fn fetch(&self, url: &Url) -> Result<Page, Failure> {
        self.get(url, &HeaderMap::new(), None, None, &self.limits).await
    }

    /// The addresses of a URL's host that may be connected to, in the order to try; never none.
    pub async fn resolve(&self, url: &Url) -> Result<Vec<SocketAddr>, Failure> {
        self.names.addresses(&Target::of(url)?).await
    }

    /// The same as `fetch`, from one of `addresses`: what [`Fetcher::resolve`] gave, so that who
    /// decides about pace and who connects speak of the same server. It takes what `claim` says of
    /// the cap, if there is one. `extra` headers go along, for example `If-None-Match`.
    pub async fn fetch_from(
        &self,
        url: &Url,
        addresses: &[SocketAddr],
        claim: Option<Claim>,
        extra: &HeaderMap,
    ) -> Result<Page, Failure> {
        self.get(url, extra, Some(addresses), claim, &self.limits).await
    }

    /// The same for what is small by nature, such as a robots.txt: of longer ones the first `most`
    /// bytes. Without `addresses` they are looked up.
    pub async fn fetch_small(
        &self,
        url: &Url,
        addresses: Option<&[SocketAddr]>,
        claim: Option<Claim>,
        most: usize,
    ) -> Result<Page, Failure> {
        let limits = self.limits.with_small_body(most);
        self.get(url, &HeaderMap::new(), addresses, claim, &limits).await
    }

    async fn get(
        &self,
        url: &Url,
        extra: &HeaderMap,
        addresses: Option<&[SocketAddr]>,
        claim: Option<Claim>,
        limits: &Limits,
    ) -> Result<Page, Failure> {
        let (mut page, body) = self.receive(url, extra, addresses, claim, limits).await?;
        // What cannot be had back from disk is lost like the end of a broken connection.
        match self.room.whole(body).await {
            Ok(body) => page.body = body,
            Err(_) => page.cut = page.cut.or(Some(Cut::Disconnect)),
        }
        Ok(page)
    }

    /// The page without its body, which has come, too.
    async fn receive(
        &self,
        url: &Url,
        extra: &HeaderMap,
        addresses: Option<&[SocketAddr]>,
        claim: Option<Claim>,
        limits: &Limits,
    ) -> Result<(Page, Incoming), Failure> {
        let target = Target::of(url)?;
        let shaped = self.shaper.as_ref().zip(claim);
        // Before a connection is taken: one that waits unused may be closed meanwhile.
        let permit = match shaped {
            Some((shaper, claim)) => Some(shaper.start(claim, || self.connects(&target)).await),
            None => None,
        };
        let permit = permit.as_ref();
        let kept = poll_fn(|cx| Poll::Ready(self.pool.take(target.origin(), cx))).await;
        if let Some(link) = kept {
            match self.exchange_on(link, &target, url, extra, limits, permit).await {
                // A GET may be asked again, and on a new connection at once.
                Err(broken) if broken.stale => {}
                done => return done.map_err(|broken| broken.failure),
            }
        }
        let shaped = shaped.map(|(shaper, claim)| (shaper, claim.share));
        // In a place of its own, since it is large and rare: what stands here is moved about for each page.
        let link = Box::pin(self.open(&target, addresses, shaped)).await?;
        let done = self.exchange_on(link, &target, url, extra, limits, permit).await;
        done.map_err(|broken| broken.failure)
    }

    /// How many connections are open and unused (or shared, in HTTP/2).
    pub fn idle_connections(&self) -> usize {
        self.pool.len()
    }

    /// What has to be done before a request can be sent, as far as can be told.
    fn connects(&self, target: &Target<'_>) -> Connects {
        match (self.pool.has(target.origin()), target.https) {
            (true, _) => Connects::No,
            (false, false) => Connects::Plain,
            (false, true) => Connects::Tls,
        }
    }

    async fn exchange_on(
        &self,
        mut link: Link,
        target: &Target<'_>,
        url: &Url,
        extra: &HeaderMap,
        limits: &Limits,
        permit: Option<&Permit>,
    ) -> Result<(Page, Incoming), Broken> {
        if let (Some(permit), Some(flow)) = (permit, &link.wire.flow) {
            permit.carried_by(flow, link.is_http2());
        }
        let done = exchange(&mut link, target, &self.template, extra, limits, &self.room).await;
        if let Some(flow) = &link.wire.flow {
            flow.ended();
        }
        let (mut page, body, usable) = done?;
        page.url.push_str(url.as_str());
        if usable && !link.is_http2() {
            self.pool.put(target.origin(), link);
        }
        Ok((page, body))
    }

    /// Connects to a checked address: no second lookup comes between the check and the use.
    async fn open(
        &self,
        target: &Target<'_>,
        addresses: Option<&[SocketAddr]>,
        shaped: Option<(&Shaper, Share)>,
    ) -> Result<Link, Failure> {
        let addresses = match addresses {
            Some(given) => self.names.permitted(target, given.to_vec())?,
            None => self.names.addresses(target).await?,
        };
        let end = Instant::now() + self.limits.connect;
        let prepare = |socket: &TcpSocket| match shaped {
            Some((shaper, share)) => shaper.prepare(share, socket),
            None => Ok(()),
        };
        let (socket, address) = connect(target, &addresses, self.limits.connect, prepare).await?;
        let flow = shaped.map(|(shaper, share)| shaper.open(share, socket.as_raw_fd()));
        let wire = Wire::new(self.received.clone(), self.limits.header_bytes, flow);
        let host = || target.host().to_owned();
        let opening = async {
            let (stream, http2) = if target.https {
                self.tls.handshake(target, address, socket, wire.clone()).await?
            } else {
                (Stream::plain(socket, wire.clone()), false)
            };
            let link = if http2 {
                Link::http2(stream, wire, address, &self.limits).await
            } else {
                Link::http1(stream, wire, address, &self.limits).await
            };
            link.map_err(|error| Failure::Closed { host: host(), address, why: error.to_string() })
        };
        let link = timeout_at(end, opening)
            .await
            .map_err(|_| Failure::ConnectTimeout { host: host(), address })??;
        if let Some(shared) = link.share() {
            self.pool.put(target.origin(), shared);
        }
        Ok(link)
    }
}
