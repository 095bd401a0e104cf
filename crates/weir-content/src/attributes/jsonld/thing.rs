//! JSON as things with the properties we read. Everything else is passed over without being kept,
//! which is most of it: whole articles, lists of images.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::key::{Key, bare};

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Nothing,
    Text(String),
    List(Vec<Json>),
    Thing(Thing),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thing {
    fields: Vec<(Key, Json)>,
}

impl Json {
    /// The texts and things in it, lists opened.
    pub fn items(&self) -> Box<dyn Iterator<Item = &Json> + '_> {
        match self {
            Json::Nothing => Box::new(std::iter::empty()),
            Json::List(list) => Box::new(list.iter().flat_map(Json::items)),
            one => Box::new(std::iter::once(one)),
        }
    }

    pub fn thing(&self) -> Option<&Thing> {
        match self {
            Json::Thing(thing) => Some(thing),
            _ => None,
        }
    }

    /// What it says: itself, or the value or name of a thing.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Json::Thing(thing) => thing.text(Key::Text).or_else(|| thing.text(Key::Name)),
            _ => None,
        }
    }
}

impl Thing {
    /// All values of a property, lists opened.
    pub fn all(&self, key: Key) -> impl Iterator<Item = &Json> + '_ {
        self.fields.iter().filter(move |(own, _)| *own == key).flat_map(|(_, json)| json.items())
    }

    /// The first text of a property.
    pub fn text(&self, key: Key) -> Option<&str> {
        self.all(key).find_map(Json::text)
    }

    pub fn things(&self, key: Key) -> impl Iterator<Item = &Thing> + '_ {
        self.all(key).filter_map(Json::thing)
    }

    pub fn is(&self, same: impl Fn(&str) -> bool) -> bool {
        self.all(Key::Type).filter_map(Json::text).any(|name| same(bare(name)))
    }

    /// It and every thing in it, in order.
    pub fn visit<'s>(&'s self, see: &mut dyn FnMut(&'s Thing)) {
        see(self);
        for (_, json) in &self.fields {
            json.items().filter_map(Json::thing).for_each(|thing| thing.visit(see));
        }
    }
}

/// Reads a value; its texts are kept if they are wanted.
#[derive(Clone, Copy)]
pub struct Reading {
    pub keeps_text: bool,
}

impl<'de> DeserializeSeed<'de> for Reading {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading {
    type Value = Json;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Nothing)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(self.kept(|| number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(self.kept(|| number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(self.kept(|| number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(self.kept(|| text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            if item != Json::Nothing {
                list.push(item);
            }
        }
        Ok(if list.is_empty() { Json::Nothing } else { Json::List(list) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = entries.next_key_seed(KeyReading)? {
            if is_full(&fields) {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let json = entries.next_value_seed(Reading { keeps_text: key != Key::Other })?;
            if json != Json::Nothing {
                fields.push((key, json));
            }
        }
        Ok(if fields.is_empty() { Json::Nothing } else { Json::Thing(Thing { fields }) })
    }
}

/// A thing with so many properties is none.
fn is_full(fields: &[(Key, Json)]) -> bool {
    fields.len() >= 1000
}

impl Reading {
    fn kept(self, text: impl FnOnce() -> String) -> Json {
        if self.keeps_text { Json::Text(text()) } else { Json::Nothing }
    }
}

struct KeyReading;

impl<'de> DeserializeSeed<'de> for KeyReading {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Key, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyReading {
    type Value = Key;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Key, E> {
        Ok(Key::of(name))
    }
}
