use weir_store::{SinkTarget, check_table, without_password};

use super::{StoreChoice, value};
use crate::settings::{ConfigError, Settings};

/// Where rows go besides the folder.
pub fn sinks(settings: &Settings, store: StoreChoice) -> Result<Vec<SinkTarget>, ConfigError> {
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

pub fn table(text: Option<String>) -> Result<String, ConfigError> {
    let name = text.unwrap_or_else(|| super::Config::TABLE.to_owned());
    match check_table(&name) {
        Ok(()) => Ok(name),
        Err(remedy) => Err(value("table", &name, remedy)),
    }
}

/// Where whole files go besides the folder.
pub fn store_to(text: Option<&str>) -> Result<Option<SinkTarget>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    match SinkTarget::objects(text) {
        Ok(target) => Ok(Some(target)),
        Err(why) => Err(value("store-to", &without_password(text), &why.to_string())),
    }
}
