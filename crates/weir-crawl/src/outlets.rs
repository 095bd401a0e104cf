use serde::{Deserialize, Serialize};
use weir_store::{SinkTarget, without_password};

use crate::config::outlets;
use crate::settings::{ConfigError, Settings};

/// Where pages go on to from the folder, as it was written. This is the business of who keeps the
/// pages, and nobody else's: passwords are in it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outlets {
    pub sink: Option<Vec<String>>,
    pub table: Option<String>,
    pub sink_wait: Option<String>,
    pub store_to: Option<String>,
}

impl Outlets {
    /// Takes them out of settings that are for somebody who keeps no pages.
    pub fn take(settings: &mut Settings) -> Outlets {
        Outlets {
            sink: settings.sink.take(),
            table: settings.table.take(),
            sink_wait: settings.sink_wait.take(),
            store_to: settings.store_to.take(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.sink.as_ref().is_none_or(Vec::is_empty) && self.store_to.is_none()
    }

    /// What is wrong with them, whatever else is set.
    pub fn check(&self) -> Result<(), ConfigError> {
        outlets(&self.clone().over(Settings::default())).map(drop)
    }

    /// The same where several processes of one machine get them.
    pub fn check_for_several(&self) -> Result<(), ConfigError> {
        let one =
            |text: &&String| text.parse().is_ok_and(|target: SinkTarget| !target.takes_several());
        match self.sink.iter().flatten().find(one) {
            None => self.check(),
            Some(text) => Err(ConfigError::Value {
                key: "sink",
                value: format!("{:?}", without_password(text)),
                remedy: "only one process can append to a file, and there are several downloaders: leave \
                         it out, then use `weir export`"
                    .to_owned(),
            }),
        }
    }

    pub(crate) fn over(self, settings: Settings) -> Settings {
        let Outlets { sink, table, sink_wait, store_to } = self;
        Settings { sink, table, sink_wait, store_to, ..settings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(sink: &str) -> Outlets {
        Outlets { sink: Some(vec![sink.to_owned()]), ..Outlets::default() }
    }

    #[test]
    fn what_is_wrong_is_said_before_anything_begins() {
        for (outlets, word) in [
            (to("mysql:x"), "sink"),
            (Outlets { table: Some("a b".to_owned()), ..to("sqlite:x") }, "table"),
            (Outlets { sink_wait: Some("soon".to_owned()), ..to("sqlite:x") }, "sink-wait"),
            (Outlets { store_to: Some("x".to_owned()), ..Outlets::default() }, "store-to"),
        ] {
            let why = outlets.check().unwrap_err().to_string();
            assert!(why.contains(word), "{why}");
        }
        assert!(to("sqlite:x").check().is_ok());
    }

    #[test]
    fn a_file_of_lines_is_for_one_process() {
        assert!(to("jsonl:x").check().is_ok());
        let why = to("jsonl:x").check_for_several().unwrap_err().to_string();
        assert!(why.contains("weir export"), "{why}");
        assert!(to("postgres://a:secret@b/c").check_for_several().is_ok());
    }
}
