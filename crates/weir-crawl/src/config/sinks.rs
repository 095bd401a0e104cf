use std::time::Duration;

use weir_store::{SinkTarget, check_table, without_password};

use super::values::{duration, value};
use super::words::store;
use super::{Config, StoreChoice};
use crate::settings::{ConfigError, Settings};

/// Where what is kept goes besides the folder.
pub struct Outlets {
    pub sinks: Vec<SinkTarget>,
    pub store_to: Option<SinkTarget>,
    pub table: String,
    pub wait: Duration,
}

pub fn outlets(settings: &Settings) -> Result<Outlets, ConfigError> {
    let store = store(settings.store.as_deref())?;
    let wait = duration("sink-wait", settings.sink_wait.as_deref())?;
    Ok(Outlets {
        sinks: sinks(settings, store)?,
        store_to: store_to(settings.store_to.as_deref())?,
        table: table(settings.table.as_deref())?,
        wait: wait.unwrap_or(Config::SINK_WAIT),
    })
}

/// Where rows go.
fn sinks(settings: &Settings, store: StoreChoice) -> Result<Vec<SinkTarget>, ConfigError> {
    let texts = settings.sink.as_deref().unwrap_or_default();
    if let Some(text) = texts.first().filter(|_| !store.parquet) {
        let remedy = "sinks are fed from the table of pages; put parquet into `store` too";
        return Err(value("sink", &without_password(text), remedy));
    }
    let target = |text: &String| {
        let wrong =
            |why: weir_store::TargetError| value("sink", &without_password(text), &why.to_string());
        text.parse::<SinkTarget>().map_err(wrong)
    };
    let mut sinks: Vec<SinkTarget> = texts.iter().map(target).collect::<Result<_, _>>()?;
    let mut named = std::collections::HashSet::new();
    sinks.retain(|sink| named.insert(sink.to_string()));
    Ok(sinks)
}

fn table(text: Option<&str>) -> Result<String, ConfigError> {
    let name = text.unwrap_or(Config::TABLE);
    match check_table(name) {
        Ok(()) => Ok(name.to_owned()),
        Err(remedy) => Err(value("table", name, remedy)),
    }
}

/// Where whole files go.
fn store_to(text: Option<&str>) -> Result<Option<SinkTarget>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    match SinkTarget::objects(text) {
        Ok(target) => Ok(Some(target)),
        Err(why) => Err(value("store-to", &without_password(text), &why.to_string())),
    }
}
