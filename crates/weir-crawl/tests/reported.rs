//! Which links of a page a worker reports, and which it leaves out since they were reported before.
#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::task::LocalSet;
use url::Url;
use weir_crawl::{
    Admitted, Config, Job, PageJob, PageWorked, Settings, SiteHabits, Worked, Worker,
};
use weir_frontier::{HostId, Leased, UrlKind};
use weir_plan::refresh::Belief;
use weir_testsite::{HostSpec, Script, Spec, Web};
use weir_types::Outcome;

/// Its base holds for what stands before it, too.
const BASED: &str = "<a href=3></a><a href=/x/3></a><base href=/x/><a href=4></a>";

/// A site and who reads it.
struct Scene {
    web: Web,
    worker: Worker,
}

impl Scene {
    /// Each page has the same two links.
    fn new() -> Scene {
        let links = "<a href=/1></a><a href=/2></a>";
        let host = HostSpec::scripted(move |asked| {
            if let Some(length) = asked.path.strip_prefix("/to/") {
                return Some(Script::redirect(&format!("/{:0>1$}", 0, length.parse().unwrap())));
            }
            let head = if asked.path == "/nofollow" { "x-robots-tag: nofollow\r\n" } else { "" };
            let body = if asked.path == "/based" { BASED } else { links };
            Some(Script::answer(200, &format!("content-type: text/html\r\n{head}"), body))
        });
        let web = Web::start(Spec::new(vec![host])).unwrap();
        let settings =
            Settings { urls: Some(web.seeds()), allow_private: Some(true), ..Settings::default() };
        let config = Config::try_from(settings).unwrap();
        let worker = Worker::new(&config, &config.store_config()).unwrap();
        Scene { web, worker }
    }

    async fn read(&self, path: &str) -> Worked {
        let url = Url::parse(&self.web.seeds()[0]).unwrap().join(path).unwrap();
        self.worker.work(Job::Page(Box::new(page(url)))).await
    }

    async fn links(&self, path: &str) -> usize {
        links(&self.read(path).await)
    }
}

fn of_page(worked: &Worked) -> &PageWorked {
    let Worked::Page(page) = worked else { panic!("a page was asked for") };
    page
}

fn links(worked: &Worked) -> usize {
    let Outcome::Kept { links, .. } = &of_page(worked).outcome else { panic!("it is there") };
    links.len()
}

fn page(url: Url) -> PageJob {
    let leased = Leased {
        number: 0,
        host: HostId(0),
        url: url.to_string(),
        score: 0.0,
        parent: None,
        depth: 0,
        redirects: 0,
        attempts: 0,
        place: 0,
        kind: UrlKind::Page,
        note: None,
        lastmod_s: None,
    };
    PageJob {
        leased,
        addresses: url.socket_addrs(|| None).unwrap().into(),
        url,
        site: Arc::from("site"),
        claim: None,
        ticket: 0,
        admitted: Admitted::default(),
        obeys_robots: true,
        promise: 0,
        habits: SiteHabits { belief: Belief::known(1.0), any_change: false },
    }
}

fn run(what: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, what);
}

#[test]
fn links_are_reported_until_a_page_that_has_them_is_handed_over() {
    run(async {
        let scene = Scene::new();
        let first = scene.read("/a").await;
        assert_eq!(links(&first), 2);
        assert_eq!(scene.links("/b").await, 2, "what came of the first may still be lost");
        scene.worker.handed_over(&first);
        assert_eq!(scene.links("/c").await, 0);
    });
}

#[test]
fn a_base_that_comes_late_is_that_of_all_links_and_each_is_reported_once() {
    run(async {
        let scene = Scene::new();
        let read = scene.read("/based").await;
        let Outcome::Kept { links, .. } = &of_page(&read).outcome else { panic!("it is there") };
        let paths: Vec<String> =
            links.iter().map(|link| Url::parse(link.url).unwrap().path().to_owned()).collect();
        assert_eq!(paths, ["/x/3", "/x/4"]);
        assert_eq!(of_page(&read).links, 2, "to its own host");
    });
}

#[test]
fn links_that_are_not_followed_are_not_taken_for_reported() {
    run(async {
        let scene = Scene::new();
        let first = scene.read("/nofollow").await;
        assert_eq!((links(&first), of_page(&first).links), (0, 0));
        scene.worker.handed_over(&first);
        assert_eq!(scene.links("/a").await, 2);
    });
}

#[test]
fn a_redirect_is_a_link_unless_it_is_longer_than_urls_are() {
    run(async {
        let scene = Scene::new();
        assert_eq!(scene.links("/to/8000").await, 1);
        assert_eq!(scene.links("/to/9000").await, 0);
    });
}
