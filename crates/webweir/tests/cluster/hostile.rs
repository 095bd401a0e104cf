//! Somebody who speaks the protocol and means no good.

use std::time::Duration;

use weir_cluster::wire::report::What;
use weir_cluster::wire::scheduler_client::SchedulerClient;
use weir_cluster::wire::{Hello, Outcome, Outcomes, Pulse, Report};

use crate::run::{BOUND, Cluster, sites};
use crate::support::command::Weir;
use crate::support::wait_until;

fn hello() -> Hello {
    let name = "stranger".to_owned();
    Hello { version: 1, id: vec![7; 16].into(), name, slots: 4, start: 1, ..Hello::default() }
}

/// Says all of this on one stream and returns how the scheduler has ended it.
fn say(cluster: &Cluster, all: Vec<What>) -> tonic::Status {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let talk = async {
        let mut client = SchedulerClient::connect(cluster.url()).await.unwrap();
        let reports = all.into_iter().map(|what| Report { what: Some(what) });
        // The stream stays open: it is for the scheduler to end it.
        let reports = tokio_stream::StreamExt::chain(
            tokio_stream::iter(reports.collect::<Vec<_>>()),
            tokio_stream::pending(),
        );
        let mut orders = match client.join(reports).await {
            Ok(orders) => orders.into_inner(),
            Err(status) => return status,
        };
        loop {
            match orders.message().await {
                Ok(Some(_)) => {}
                Ok(None) => return tonic::Status::ok("closed without a word"),
                Err(status) => return status,
            }
        }
    };
    let status = runtime.block_on(async { tokio::time::timeout(BOUND, talk).await });
    status.expect("the scheduler ends it")
}

fn wait_for(scheduler: &Weir, words: &str) {
    wait_until(words, || scheduler.said().contains(words));
}

#[test]
fn messages_that_cannot_be_are_refused_and_reported_and_harm_nobody() {
    let spec = sites(2, 100).each(|host| host.latency(Duration::from_millis(30)));
    let cluster = Cluster::of(spec, &[]);
    let mut scheduler = cluster.scheduler();
    let honest = cluster.downloader("honest");
    cluster.wait_for(10, &mut scheduler);

    let large = Hello { name: "x".repeat(33 << 20), ..hello() };
    let status = say(&cluster, vec![What::Hello(large)]);
    assert!(status.message().contains("too large"), "{status}");
    wait_for(&scheduler, "too large");

    let large = Outcome { number: 1, ticket: vec![0; 33 << 20].into(), ..Outcome::default() };
    say(&cluster, vec![What::Hello(hello()), What::Outcomes(Outcomes { outcomes: vec![large] })]);
    wait_for(&scheduler, "a message was refused for its size");

    let status = say(&cluster, vec![What::Pulse(Pulse::default())]);
    assert!(status.message().contains("says first who it is"), "{status}");
    let old = Hello { version: 99, ..hello() };
    let status = say(&cluster, vec![What::Hello(old)]);
    assert!(status.message().contains("install the same weir"), "{status}");
    let many = Hello { slots: u32::MAX, ..hello() };
    let status = say(&cluster, vec![What::Hello(many)]);
    assert!(status.message().contains("slots"), "{status}");

    // An outcome of a job that it was never given.
    let made_up = Outcome { number: 1, job: 1 << 32 | 1, ..Outcome::default() };
    let foreign = Hello { id: vec![8; 16].into(), ..hello() };
    let outcomes =
        Outcomes { outcomes: vec![made_up, Outcome { number: 7, ..Outcome::default() }] };
    let status = say(&cluster, vec![What::Hello(foreign), What::Outcomes(outcomes)]);
    assert_eq!(status.code(), tonic::Code::InvalidArgument, "{status}");
    wait_for(&scheduler, "downloader stranger was sent away");

    wait_until("the status to tell of it", || cluster.status(&[]).contains("was sent away"));
    scheduler.wait_within(BOUND).expect_code(0);
    honest.wait_within(BOUND).expect_code(0);
    cluster.expect_each_once();
}
