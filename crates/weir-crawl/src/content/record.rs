use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_content::attributes::{Product, When};
use weir_content::rules::{Record, Value};

use super::{Content, PageContent};

/// A page as rules see it.
pub struct Asked<'a> {
    pub content: &'a Content,
    pub page: &'a PageContent,
    pub url: &'a str,
    pub site: &'a str,
    pub depth: u32,
    pub status: u16,
    pub bytes: u64,
    pub content_type: Option<&'a str>,
    pub charset: Option<&'a str>,
    pub fetched_at: Timestamp,
}

impl Record for Asked<'_> {
    fn get(&self, name: &str) -> Value<'_> {
        let read = &self.page.attributes;
        match name {
            "url" => Value::text(self.url),
            "site" => Value::text(self.site),
            "depth" => Value::Number(self.depth.into()),
            "status" => Value::Number(self.status.into()),
            "bytes" => Value::Number(self.bytes as f64),
            "content_type" => text(self.content_type.map(essence)),
            "charset" => text(self.charset),
            "fetched_at" => Value::Time(self.fetched_at),
            "title" => text(read.title.as_ref().map(|title| title.value.as_str())),
            "published" => time(read.published.as_ref().map(|found| found.value)),
            "modified" => time(read.modified.as_ref().map(|found| found.value)),
            "author" => super::row::author(read).map_or(Value::Null, Value::text),
            "copyright" => text(read.owner.as_ref().map(|owner| owner.value.as_str())),
            "lang" => text(read.lang.as_ref().map(|lang| language(&lang.value))),
            "text" => text(self.page.text.as_deref()),
            "videos" => Value::list(read.videos.iter().map(|video| video.value.as_str())),
            _ => match (name.strip_prefix("fields."), name.strip_prefix("product.")) {
                (Some(field), _) => self.page.fields.get(field).map_or(Value::Null, Value::of_json),
                (_, Some(part)) => {
                    let product = read.product.as_ref().map(|product| &product.value);
                    product.map_or(Value::Null, |product| of_product(product, part))
                }
                _ => Value::Null,
            },
        }
    }

    fn topic(&self, name: &str) -> Option<f64> {
        let at = self.content.topics.iter().position(|topic| topic.name() == name)?;
        self.page.topics.get(at).map(|score| f64::from(*score))
    }
}

fn of_product<'p>(product: &'p Product, part: &str) -> Value<'p> {
    match part {
        "name" => text(product.name.as_deref()),
        "price" => {
            let price = product.price.as_deref().and_then(|price| price.parse().ok());
            price.map_or(Value::Null, Value::Number)
        }
        "currency" => text(product.currency.as_deref()),
        "availability" => text(product.availability.as_deref()),
        _ => Value::Null,
    }
}

fn text(text: Option<&str>) -> Value<'_> {
    text.map_or(Value::Null, Value::text)
}

/// A day is its beginning in UTC.
fn time(when: Option<When>) -> Value<'static> {
    let start = |day: jiff::civil::Date| Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let at = when.and_then(|when| when.at.or_else(|| start(when.day)));
    at.map_or(Value::Null, Value::Time)
}

/// `en` of `en-US`: rules ask for languages, not for countries. In lower case nearly always, and
/// what is not is no language code.
fn language(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or(content_type).trim()
}
