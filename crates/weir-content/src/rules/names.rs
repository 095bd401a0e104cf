use super::value::Type;
use crate::near::nearest;

/// What every record has, each possibly null.
pub const NAMES: [(&str, Type); 20] = [
    ("url", Type::Text),
    ("site", Type::Text),
    ("depth", Type::Number),
    ("status", Type::Number),
    ("bytes", Type::Number),
    ("content_type", Type::Text),
    ("charset", Type::Text),
    ("fetched_at", Type::Time),
    ("title", Type::Text),
    ("published", Type::Time),
    ("modified", Type::Time),
    ("author", Type::Text),
    ("copyright", Type::Text),
    ("lang", Type::Text),
    ("text", Type::Text),
    ("videos", Type::List),
    ("product.name", Type::Text),
    ("product.price", Type::Number),
    ("product.currency", Type::Text),
    ("product.availability", Type::Text),
];

/// The time at which a rule is asked.
pub(super) const NOW: &str = "now";
const FIELDS: &str = "fields.";

/// What a rule may speak of besides [`NAMES`]: what the user has named.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Without the `fields.` before them.
    pub fields: Vec<(String, Type)>,
    pub topics: Vec<String>,
}

impl Known {
    pub(super) fn type_of(&self, name: &str) -> Option<Type> {
        if name == NOW {
            return Some(Type::Time);
        }
        if let Some(field) = name.strip_prefix(FIELDS) {
            return self.fields.iter().find(|(known, _)| known == field).map(|(_, kind)| *kind);
        }
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// What to do about a name that is none.
    pub(super) fn remedy(&self, name: &str) -> String {
        if let Some(field) = name.strip_prefix(FIELDS) {
            let known = self.fields.iter().map(|(known, _)| known.as_str());
            return match nearest(field, known) {
                Some(known) => format!("did you mean `{FIELDS}{known}`?"),
                None => format!("describe it under `[site.fields]`: {field} = {{ css = \"…\" }}"),
            };
        }
        if self.fields.iter().any(|(known, _)| known == name) {
            return format!("did you mean `{FIELDS}{name}`?");
        }
        let known = NAMES.iter().map(|(known, _)| *known).chain([NOW]);
        match nearest(name, known) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("there is {}", list(NAMES.iter().map(|(known, _)| *known))),
        }
    }

    pub(super) fn topic_remedy(&self, name: &str) -> String {
        match nearest(name, self.topics.iter().map(String::as_str)) {
            Some(known) => format!("did you mean \"{known}\"?"),
            None => format!("describe it: [topic.{name:?}] terms = [\"…\"]"),
        }
    }
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.chain([NOW, "fields.NAME"]).collect::<Vec<_>>().join(", ")
}
