use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::ClientConfig;
use rustls::sign::SingleCertAndKey;
use tokio_rustls::TlsConnector;

use super::echo::{LONGEST, Scheduler, say, say_with};
use super::{keys, keys_of, long_ago, loopback};
use crate::security::keys::{Keys, Side, provider};
use crate::security::{ClientSecurity, ServerSecurity, add_downloader};

/// The words that both sides must say.
struct Words<'a> {
    downloader: &'a str,
    scheduler: &'a str,
}

async fn check(scheduler: &mut Scheduler, said: Result<String, String>, words: Words<'_>) {
    let told = said.expect_err("it was let in");
    assert!(told.contains(words.downloader), "the downloader says: {told}");
    let report = scheduler.report().await;
    assert!(report.contains(words.scheduler), "the scheduler says: {report}");
}

fn client(scheduler: &Scheduler, dir: &Path) -> ClientSecurity {
    ClientSecurity::choose(&scheduler.url("https"), Some(dir)).unwrap()
}

/// A downloader that trusts the authority in `dir` but shows the certificate in `shown`, if any.
fn impostor(scheduler: &Scheduler, dir: &Path, shown: Option<&Path>) -> ClientSecurity {
    let mut client = client(scheduler, dir);
    let right = Keys::read(dir, Side::Downloader, SystemTime::now()).unwrap();
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(right.roots);
    let config = match shown.map(|dir| Keys::read(dir, Side::Downloader, SystemTime::now())) {
        Some(keys) => builder
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(keys.unwrap().certified))),
        None => builder.with_no_client_auth(),
    };
    let (tls, _) = client.connector.tls.as_mut().unwrap();
    *tls = TlsConnector::from(Arc::new(config));
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_right_keys_let_a_downloader_in() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let by_address = client(&scheduler, dir.path());
    assert_eq!(say(&by_address, "hello").await.unwrap(), "hello");
    let by_name = format!("https://localhost:{}", scheduler.address.port());
    let by_name = ClientSecurity::choose(&by_name, Some(dir.path())).unwrap();
    assert_eq!(say(&by_name, "hello").await.unwrap(), "hello");
    assert!(scheduler.is_quiet());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downloader_added_later_is_let_in() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let added = add_downloader(dir.path(), "second", false, SystemTime::now()).unwrap();
    assert_eq!(say(&client(&scheduler, &added.dir), "hello").await.unwrap(), "hello");
    assert!(scheduler.is_quiet());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loopback_needs_neither_tls_nor_token() {
    let security = ServerSecurity::choose(loopback(), None, false).unwrap();
    let mut scheduler = Scheduler::start(&security).await;
    let client = ClientSecurity::choose(&scheduler.url("http"), None).unwrap();
    assert_eq!(say(&client, "hello").await.unwrap(), "hello");
    assert!(scheduler.is_quiet());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_token_is_refused() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let plain = ClientSecurity::choose(&scheduler.url("http"), None).unwrap();
    let secure = client(&scheduler, dir.path());
    let said = say_with(&secure, plain.interceptor(), "hello").await;
    let words = Words { downloader: "the token is missing", scheduler: "the token is missing" };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_token_is_refused() {
    let (dir, other) = (keys(), keys());
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let right = client(&scheduler, dir.path());
    let wrong = client(&scheduler, other.path());
    let said = say_with(&right, wrong.interceptor(), "hello").await;
    let words = Words {
        downloader: "the token is wrong: copy the keys folder of the scheduler to this machine",
        scheduler: "the token is wrong: copy the keys folder of the scheduler to its machine",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_wanted_without_tls_too() {
    let dir = keys();
    let security = ServerSecurity::choose(loopback(), Some(dir.path()), true).unwrap();
    assert!(!security.is_encrypted());
    let mut scheduler = Scheduler::start(&security).await;
    let known = ClientSecurity::choose(&scheduler.url("http"), Some(dir.path())).unwrap();
    assert_eq!(say(&known, "hello").await.unwrap(), "hello");
    let unknown = ClientSecurity::choose(&scheduler.url("http"), None).unwrap();
    let said = say(&unknown, "hello").await;
    let words = Words { downloader: "the token is missing", scheduler: "the token is missing" };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduler_of_another_cluster_is_refused() {
    let (dir, other) = (keys(), keys());
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let said = say(&client(&scheduler, other.path()), "hello").await;
    let words = Words {
        downloader: "the certificate of the scheduler is from another authority",
        scheduler: "the downloader refuses our certificate as being from another authority",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downloader_of_another_cluster_is_refused() {
    let (dir, other) = (keys(), keys());
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let said = say(&impostor(&scheduler, dir.path(), Some(other.path())), "hello").await;
    let words = Words {
        downloader: "the scheduler refuses our certificate as being from another authority",
        scheduler: "the certificate of the downloader is from another authority",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downloader_without_certificate_is_refused() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let said = say(&impostor(&scheduler, dir.path(), None), "hello").await;
    let words = Words {
        downloader: "the scheduler wants a certificate and we showed none",
        scheduler: "the downloader shows no certificate",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_scheduler_is_refused() {
    let dir = keys_of(long_ago());
    let security =
        ServerSecurity::choose_at(loopback(), Some(dir.path()), false, long_ago()).unwrap();
    let mut scheduler = Scheduler::start(&security).await;
    let url = scheduler.url("https");
    let client = ClientSecurity::choose_at(&url, Some(dir.path()), long_ago()).unwrap();
    let words = Words {
        downloader: "the certificate of the scheduler expired on 2",
        scheduler: "the downloader refuses our certificate as expired",
    };
    check(&mut scheduler, say(&client, "hello").await, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_downloader_is_refused() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let old = add_downloader(dir.path(), "old", false, long_ago()).unwrap();
    let url = scheduler.url("https");
    let client = ClientSecurity::choose_at(&url, Some(&old.dir), long_ago()).unwrap();
    let words = Words {
        downloader: "the scheduler refuses our certificate as expired",
        scheduler: "the certificate of the downloader expired on 2",
    };
    check(&mut scheduler, say(&client, "hello").await, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_is_not_in_the_certificate_is_refused() {
    let dir = keys();
    let listen = "127.0.0.2:0".parse().unwrap();
    let security = ServerSecurity::choose(listen, Some(dir.path()), false).unwrap();
    let mut scheduler = Scheduler::start_on(listen, &security).await;
    let said = say(&client(&scheduler, dir.path()), "hello").await;
    let words = Words {
        downloader: "the certificate of the scheduler is not for the name 127.0.0.2",
        scheduler: "it called us by a name that is not in it",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_downloader_is_refused_by_a_scheduler_with_tls() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let client = ClientSecurity::choose(&scheduler.url("http"), None).unwrap();
    let words = Words {
        downloader: "the scheduler speaks only TLS: call https://",
        scheduler: "it does not speak TLS",
    };
    check(&mut scheduler, say(&client, "hello").await, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downloader_with_tls_is_refused_by_a_plain_scheduler() {
    let dir = keys();
    let security = ServerSecurity::choose(loopback(), None, false).unwrap();
    let mut scheduler = Scheduler::start(&security).await;
    let said = say(&client(&scheduler, dir.path()), "hello").await;
    let words = Words {
        downloader: "the scheduler does not speak TLS: start it with --keys DIR",
        scheduler: "it speaks TLS, but this scheduler does not",
    };
    check(&mut scheduler, said, words).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_downloader_says_when_no_scheduler_is_there() {
    let dir = keys();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = ClientSecurity::choose(&format!("https://{gone}"), Some(dir.path())).unwrap();
    let told = say(&client, "hello").await.unwrap_err();
    assert!(told.starts_with("nothing listens there: start the scheduler"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_too_long_is_refused() {
    let dir = keys();
    let scheduler = Scheduler::with_keys(dir.path()).await;
    let told = say(&client(&scheduler, dir.path()), &"x".repeat(2 * LONGEST)).await.unwrap_err();
    assert!(told.starts_with("a message is larger than the other side takes"), "{told}");
}
