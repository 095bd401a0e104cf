use std::borrow::Cow;

use serde_json::{Number, Value};
use weir_parse::tree::{Id, Name};

use super::number::Style;
use super::page::Page;
use super::{Field, Kind, MAX_BYTES, date, html, number};

/// A node costs as much as this many bytes.
const PER_NODE: usize = 4;

/// What an element says of a field; `None` if that is nothing.
pub(super) fn read(page: &Page<'_, '_>, id: Id, field: &Field) -> Option<Value> {
    let attribute = match &field.attr {
        Some(attr) => Some(page.tree.attribute(id, attr)?),
        None => stands_for(page, id, field.kind),
    };
    if field.kind == Kind::Boolean {
        return Some(Value::Bool(true));
    }
    let is_attribute = attribute.is_some();
    let written = match attribute {
        Some(value) => value,
        None if field.kind == Kind::Html => Cow::Owned(html::outer(page.tree, id, MAX_BYTES)),
        None => Cow::Owned(page.tree.collected(id)),
    };
    page.spend(PER_NODE * (page.tree.end(id).0 - id.0) as usize + written.len());
    match field.kind {
        Kind::Boolean | Kind::Html => Some(Value::String(written.into_owned())),
        Kind::Text => text(written, is_attribute),
        Kind::Number => {
            let number = number::read(&written, style(page, is_attribute))?;
            Number::from_f64(number).map(Value::Number)
        }
        Kind::Integer => integer(&written),
        Kind::Date => date::read(&written, page.lang()).map(Value::String),
        Kind::Url => page.absolute(&written).map(Value::String),
    }
}

/// The attribute that an element has its value in, if its text is not it.
fn stands_for<'t>(page: &Page<'_, 't>, id: Id, kind: Kind) -> Option<Cow<'t, str>> {
    let tree = page.tree;
    match (kind, tree.name(id)) {
        (Kind::Html | Kind::Boolean, _) => None,
        (_, Name::Meta) => tree.attribute(id, "content"),
        (_, Name::Input) => tree.attribute(id, "value"),
        (Kind::Url, _) => ["href", "src"].iter().find_map(|name| tree.attribute(id, name)),
        (Kind::Date, _) => tree.attribute(id, "datetime"),
        _ => None,
    }
}

/// What stands in an attribute is written for machines, with a point.
fn style(page: &Page<'_, '_>, is_attribute: bool) -> Style {
    if is_attribute { Style::Point } else { page.style() }
}

/// The text of an element is collapsed already.
fn text(written: Cow<'_, str>, is_attribute: bool) -> Option<Value> {
    let text = match is_attribute {
        true => written.split_whitespace().collect::<Vec<_>>().join(" "),
        false => written.into_owned(),
    };
    (!text.is_empty()).then_some(Value::String(text))
}

/// Beyond 2^53 not every number is one.
fn integer(written: &str) -> Option<Value> {
    let number = number::read(written, Style::Whole)?;
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    is_whole.then(|| Value::from(number as i64))
}
