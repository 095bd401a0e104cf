//! A downloader at the end of a slow wire.

use std::thread::sleep;
use std::time::Duration;

use weir_testsite::HostSpec;

use crate::cluster::{Cluster, memory};
use crate::lab::with_machines;
use crate::meter::Meter;
use crate::wire::Quality;

/// 1 Mbit/s. What the pages' links take is more than that.
const SLOW: Quality =
    Quality { is_cut: false, delay: Duration::from_millis(100), rate: Some(125_000.0) };
const PHASE: f64 = 6.0;

#[test]
fn a_slow_wire_slows_nobody_else_down_and_loses_nothing() {
    with_machines("slow::a_slow_wire_slows_nobody_else_down_and_loses_nothing", |lab| {
        let host = HostSpec::pages(220).links_per_page(120).cross_links(20);
        let host = host.latency(Duration::from_millis(50));
        let mut cluster = Cluster::new(lab, vec![host; 8], 4);
        let meter = Meter::start();
        cluster.run([1, 2]);
        cluster.wait_for(100);
        let phase = |cluster: &mut Cluster, quality| {
            cluster.lab.wire(1).set(quality);
            sleep(Duration::from_secs(1));
            let (from, before) = (meter.now(), memory(cluster.scheduler.as_ref().unwrap()));
            sleep(Duration::from_secs_f64(PHASE));
            let after = memory(cluster.scheduler.as_ref().unwrap());
            let asked = meter.counted().from;
            let [one, two] = [0, 1].map(|at| asked[at].rate(from, meter.now()));
            println!("{quality:?}: {one:.0} and {two:.0} B/s, memory {before} to {after}");
            (two, after.saturating_sub(before))
        };
        let (usual, _) = phase(&mut cluster, Quality::default());
        let (beside, grown) = phase(&mut cluster, SLOW);
        assert!(beside > 0.6 * usual, "the other has {beside:.0} of {usual:.0} B/s");
        assert!(grown < 16 << 20, "the scheduler has grown by {grown} bytes");
        cluster.lab.wire(1).mend();
        cluster.finish();
        cluster.expect_each_page_once();
        cluster.expect_one_at_a_time();
    });
}
