use std::ops::ControlFlow;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::collect::Collector;
use super::document::Document;
use super::source::Source;

/// Places where the markup is so broken that reading starts anew behind them.
const MAX_RESTARTS: usize = 1000;

/// Reads urlset, index, RSS or Atom.
pub(super) fn read(source: &mut Source<'_>, collector: &mut Collector<'_>) {
    let mut document = Document::new(collector);
    for _ in 0..MAX_RESTARTS {
        match pass(source, &mut document) {
            Ok(()) => break,
            Err(error) => document.broken(&error.to_string()),
        }
    }
    document.end();
}

/// Reads until the end, or until the document has enough, or to where the reader gives up.
fn pass(source: &mut Source<'_>, document: &mut Document<'_, '_>) -> Result<(), quick_xml::Error> {
    let mut reader = Reader::from_reader(source);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().mark();
        let event = reader.read_event_into(&mut buffer)?;
        if matches!(event, Event::Eof) || take(event, document).is_break() {
            return Ok(());
        }
    }
}

fn take(event: Event<'_>, document: &mut Document<'_, '_>) -> ControlFlow<()> {
    match event {
        Event::Start(tag) => document.start(tag.name().0, &Attributes(&tag)),
        Event::Empty(tag) => {
            document.start(tag.name().0, &Attributes(&tag))?;
            document.close(tag.name().0)
        }
        Event::End(tag) => document.close(tag.name().0),
        Event::Text(text) => document.text(&text),
        Event::CData(text) => document.text(&text),
        Event::GeneralRef(name) => reference(&name, document),
        // A DOCTYPE is passed over: entities it defines are never expanded, files never asked for.
        _ => ControlFlow::Continue(()),
    }
}

/// References that HTML knows are read as there; others stay as they are written.
fn reference(name: &BytesRef<'_>, document: &mut Document<'_, '_>) -> ControlFlow<()> {
    if let Ok(Some(character)) = name.resolve_char_ref() {
        return document.text(character.encode_utf8(&mut [0; 4]));
    }
    let name: &str = name;
    let written = format!("&{name};");
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let text = htmlize::unescape(&written);
        // `&copyright;` would become `©right;`.
        if !text.ends_with(';') || name == "semi" {
            return document.text(&text);
        }
    }
    document.unknown_reference(&written);
    document.text(&written)
}

/// The attributes of a tag.
pub(super) struct Attributes<'t>(&'t BytesStart<'t>);

impl Attributes<'_> {
    pub fn get(&self, name: &str) -> Option<String> {
        let mut all = self.0.html_attributes();
        let found = all.with_checks(false).flatten().find(|attribute| attribute.key.0 == name)?;
        Some(htmlize::unescape_attribute(found.value).into_owned())
    }
}
