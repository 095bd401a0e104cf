//! The server: a thread with a runtime of its own, so that nothing here is in the way of the crawl.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use thiserror::Error;
use tokio::sync::watch;
use weir_crawl::{Helm, PastRound};

use crate::api::{self, Why};
use crate::board::Board;
use crate::events;
use crate::guard::{Guard, Token, watch as guarded};

/// What it is to serve, and where.
pub struct Options {
    pub address: SocketAddr,
    /// None is needed on loopback.
    pub token: Option<Token>,
    /// For those who may only look.
    pub read_token: Option<Token>,
    /// What the crawl is called.
    pub name: String,
    pub hooks: Hooks,
}

/// What it has to ask of others.
pub struct Hooks {
    /// Ends the crawl.
    pub stop: Box<dyn Fn() + Send + Sync>,
    /// Reads the settings again, or, told so, only looks whether they are right; says what comes of it. Of a service only.
    pub reload: Option<Reload>,
    /// What became of one URL.
    pub why: Explain,
    /// Past rounds, the newest first.
    pub rounds: Box<dyn Fn() -> Vec<PastRound> + Send + Sync>,
}

pub type Reload = Box<dyn Fn(bool) -> Result<String, String> + Send + Sync>;
pub type Explain = Box<dyn Fn(&str) -> Result<Why, String> + Send + Sync>;

#[derive(Debug, Error)]
pub enum StartError {
    #[error(
        "the dashboard cannot listen at {address}: {why}; name another place, such as --dashboard 127.0.0.1:0"
    )]
    Listen { address: SocketAddr, why: std::io::Error },
    #[error("the dashboard cannot be started: {0}")]
    Start(std::io::Error),
}

/// As handlers see it.
#[derive(Clone)]
pub struct App {
    pub board: Arc<Board>,
    pub helm: Helm,
    pub hooks: Arc<Hooks>,
    pub listeners: Arc<AtomicUsize>,
}

/// Serves until it is dropped.
pub struct Dashboard {
    address: SocketAddr,
    app: App,
    end: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Longer bodies are no actions.
const LONGEST_BODY: usize = 64 * 1024;
/// How long those who look are given to see how it ended.
const LAST_LOOK: Duration = Duration::from_millis(700);

impl Dashboard {
    pub fn start(options: Options, helm: Helm) -> Result<Dashboard, StartError> {
        let Options { address, token, read_token, name, hooks } = options;
        let listen = |why| StartError::Listen { address, why };
        let listener = TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let app = App {
            board: Arc::new(Board::new(&name, hooks.reload.is_some())),
            helm,
            hooks: Arc::new(hooks),
            listeners: Arc::default(),
        };
        let guard = Arc::new(Guard { address, token, read_token });
        let router = routes(app.clone(), guard);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::Start)?;
        let (end, ending) = watch::channel(false);
        let looking = app.clone();
        let thread = std::thread::Builder::new().name("dashboard".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, router, looking, ending));
            // Whoever still listens is not waited for.
            runtime.shutdown_background();
        });
        let thread = Some(thread.map_err(StartError::Start)?);
        Ok(Dashboard { address, app, end, thread })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The crawl has ended by itself, for this reason.
    pub fn fail(&self, why: &str) {
        self.app.board.fail(why);
    }
}

impl Drop for Dashboard {
    /// What was seen last is told to those who look.
    fn drop(&mut self) {
        let begun = Instant::now();
        while self.app.listeners.load(Ordering::Relaxed) > 0 && begun.elapsed() < LAST_LOOK {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.end.send_replace(true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn routes(app: App, guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/", get(api::index))
        .route("/assets/{name}", get(api::file))
        .route("/api/state", get(api::state))
        .route("/api/events", get(events::events))
        .route("/api/rates", get(api::rates))
        .route("/api/sites", get(api::sites))
        .route("/api/sites/{site}", get(api::site))
        .route("/api/crawls", get(api::crawls))
        .route("/api/plan", get(api::plan))
        .route("/api/report", get(api::report))
        .route("/api/rounds", get(api::rounds))
        .route("/api/why", get(api::why))
        .route("/api/preview", post(api::preview))
        .route("/api/actions", post(api::actions))
        .route("/api/openapi.json", get(api::description))
        .route("/metrics", get(api::metrics))
        .route("/healthz", get(api::healthz))
        .fallback(api::nothing)
        .method_not_allowed_fallback(api::not_so)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(guard, guarded))
        .with_state(app)
}

async fn serve(listener: TcpListener, router: Router, app: App, mut ending: watch::Receiver<bool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let mut views = app.helm.views();
    let looking = async {
        loop {
            let view = views.borrow_and_update().clone();
            if let Some(view) = view {
                app.board.put(&view);
            }
            if views.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        () = looking => {}
        _ = axum::serve(listener, router) => {}
        _ = ending.wait_for(|end| *end) => {}
    }
}
