//! Puts a dashboard beside a crawl: where it is served, who is let in, and what it can ask of this command.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::sync::watch;
use tracing::info;
use weir_crawl::{Helm, PastRound, Settings, Stop};
use weir_dashboard::{ADDRESS, Dashboard, Hooks, Options, Reload, Token, Why};

use super::why;
use crate::exit::WrongUse;
use crate::show::Screen;

/// Rounds that are told of.
const ROUNDS: usize = 500;
/// Where tokens are looked for that are in no file.
const TOKEN: &str = "WEIR_DASHBOARD_TOKEN";
const READ_TOKEN: &str = "WEIR_DASHBOARD_READ_TOKEN";

/// Where it is to be, and with which tokens; checked, and not yet begun.
pub struct Place {
    address: SocketAddr,
    token: Option<Token>,
    read_token: Option<Token>,
    /// Nobody chose the token, so it has to be shown.
    is_token_new: bool,
}

/// A dashboard, and the helm that it shares with its crawl. It is served until this is dropped.
pub struct Beside {
    dashboard: Dashboard,
    helm: Helm,
}

impl Beside {
    pub fn helm(&self) -> Helm {
        self.helm.clone()
    }

    pub fn fail(&self, why: &str) {
        self.dashboard.fail(why);
    }
}

impl Place {
    /// None if the settings ask for none.
    pub fn of(settings: &Settings) -> Result<Option<Place>> {
        match &settings.dashboard {
            None | Some(toml::Value::Boolean(false)) => Ok(None),
            Some(toml::Value::Boolean(true)) => Place::at(ADDRESS, settings).map(Some),
            Some(toml::Value::String(text)) if text.is_empty() || text == "true" => {
                Place::at(ADDRESS, settings).map(Some)
            }
            Some(toml::Value::String(text)) if text.contains("://") => {
                let remedy = format!("{}; write URLs before --dashboard", usage());
                Err(wrong("dashboard", text, &remedy))
            }
            Some(toml::Value::String(text)) => Place::at(text, settings).map(Some),
            Some(other) => Err(wrong("dashboard", &other.to_string(), &usage())),
        }
    }

    /// The usual one, or what the settings say.
    pub fn of_service(settings: &Settings) -> Result<Place> {
        match Place::of(settings)? {
            Some(place) => Ok(place),
            None => Place::at(ADDRESS, settings),
        }
    }

    pub fn at(text: &str, settings: &Settings) -> Result<Place> {
        let first = text.to_socket_addrs().ok().and_then(|mut all| all.next());
        let address = first.ok_or_else(|| wrong("dashboard", text, &usage()))?;
        let token = token("dashboard-token", settings.dashboard_token.as_deref(), TOKEN)?;
        let read_token = token_of(settings)?;
        let is_token_new = token.is_none() && !address.ip().is_loopback();
        let token = match is_token_new {
            true => Some(Token::random().context("no token could be made")?),
            false => token,
        };
        Ok(Place { address, token, read_token, is_token_new })
    }

    /// The usual one for a demo, or another one if that is taken.
    pub fn of_demo() -> Result<Place> {
        let is_free = std::net::TcpListener::bind(ADDRESS).is_ok();
        Place::at(if is_free { ADDRESS } else { "127.0.0.1:0" }, &Settings::default())
    }

    /// Begins to serve for a crawl that is about to begin; `stop` ends it.
    pub fn open_beside(
        self,
        out: &Path,
        stop: watch::Sender<Stop>,
        screen: &Screen,
    ) -> Result<Beside> {
        let helm = Helm::default();
        let dashboard = self.open(out, helm.clone(), stop, None, screen.is_quiet())?;
        Ok(Beside { dashboard, helm })
    }

    /// Begins to serve.
    pub fn open(
        self,
        out: &Path,
        helm: Helm,
        stop: watch::Sender<Stop>,
        reload: Option<Reload>,
        is_quiet: bool,
    ) -> Result<Dashboard> {
        let shown = self.token.clone().filter(|_| self.is_token_new);
        let folder: Arc<Path> = out.into();
        let (of_why, of_rounds) = (folder.clone(), folder);
        let hooks = Hooks {
            stop: Box::new(move || stop.send_modify(|stop| *stop = (*stop).max(Stop::Soon))),
            reload,
            why: Box::new(move |url| explain(&of_why, url)),
            rounds: Box::new(move || PastRound::read(&of_rounds, ROUNDS)),
        };
        let options = Options {
            address: self.address,
            token: self.token,
            read_token: self.read_token,
            name: out.display().to_string(),
            hooks,
        };
        let dashboard = Dashboard::start(options, helm)?;
        info!(address = %dashboard.address(), "dashboard");
        if !is_quiet || shown.is_some() {
            eprintln!("dashboard: {}", link(dashboard.address(), shown.as_ref()));
        }
        Ok(dashboard)
    }
}

fn token_of(settings: &Settings) -> Result<Option<Token>> {
    token("dashboard-read-token", settings.dashboard_read_token.as_deref(), READ_TOKEN)
}

fn token(key: &'static str, written: Option<&str>, variable: &str) -> Result<Option<Token>> {
    let given = written.map(str::to_owned).or_else(|| std::env::var(variable).ok());
    let token = given.map(|text| Token::new(&text)).transpose();
    token.map_err(|why| WrongUse(format!("{key}: {why}")).into())
}

fn link(address: SocketAddr, token: Option<&Token>) -> String {
    let host = match address.ip().is_unspecified() {
        true => format!("HOST:{}", address.port()),
        false => address.to_string(),
    };
    let token = token.map(|token| format!("?token={}", token.text())).unwrap_or_default();
    format!("http://{host}/{token}")
}

fn explain(out: &Path, text: &str) -> Result<Why, String> {
    let told = why::explain(out, text).map_err(|why| format!("{why:#}"))?;
    let found = told.lines.is_some();
    let lines = told.lines.unwrap_or_else(|| vec![why::NEVER_FOUND.to_owned()]);
    Ok(Why { url: told.url, found, lines })
}

fn usage() -> String {
    format!("write true, or an address and a port, such as {ADDRESS}")
}

fn wrong(key: &str, value: &str, remedy: &str) -> anyhow::Error {
    WrongUse(format!("{key} = {value}: {remedy}")).into()
}
