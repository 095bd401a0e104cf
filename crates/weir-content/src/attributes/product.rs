//! What a page sells.

use weir_parse::tree::{Id, Tree};

use super::jsonld::{Key, Thing};
use super::mark::Kinds;
use super::meta::About;
use super::page::Page;
use super::plain::tidy;
use super::said::said;
use super::{Found, Source};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Product {
    pub name: Option<String>,
    /// A number as text, with a point: prices are not added up here.
    pub price: Option<String>,
    /// Such as `EUR`.
    pub currency: Option<String>,
    /// The word of schema.org, such as `InStock`.
    pub availability: Option<String>,
}

pub fn product(page: &Page<'_>) -> Option<Found<Product>> {
    linked(page)
        .map(|product| Found::new(product, Source::JsonLd))
        .or_else(|| microdata(page).map(|product| Found::new(product, Source::Microdata)))
        .or_else(|| metas(page).map(|product| Found::new(product, Source::OpenGraph)))
}

fn linked(page: &Page<'_>) -> Option<Product> {
    let every = page.linked.every();
    let products = every.iter().filter(|thing| {
        thing.is(|name| {
            matches!(name, "Product" | "ProductGroup" | "IndividualProduct" | "ProductModel")
        })
    });
    // A list of products is not a page of one; the first that has a price is.
    let mut products = products.take(50).map(|thing| of_thing(thing));
    let first = products.next()?;
    Some(if first.price.is_some() {
        first
    } else {
        products.find(|one| one.price.is_some()).unwrap_or(first)
    })
}

fn of_thing(thing: &Thing) -> Product {
    let mut product = Product { name: thing.text(Key::Name).and_then(short), ..Product::default() };
    for offer in thing.things(Key::Offers) {
        let parts = || {
            std::iter::once(offer)
                .chain(offer.things(Key::Offers))
                .chain(offer.things(Key::PriceSpecification))
        };
        let of =
            |keys: &[Key]| keys.iter().find_map(|key| parts().find_map(|part| part.text(*key)));
        product.price = product
            .price
            .or_else(|| of(&[Key::Price, Key::LowPrice, Key::HighPrice]).and_then(number));
        product.currency =
            product.currency.or_else(|| of(&[Key::PriceCurrency]).and_then(currency));
        product.availability =
            product.availability.or_else(|| of(&[Key::Availability]).and_then(last_word));
    }
    product
}

fn microdata(page: &Page<'_>) -> Option<Product> {
    let scope = page.marks(Kinds::PRODUCT).next()?.id;
    let tree = &page.tree;
    let mut product = Product::default();
    for id in tree.descendants(scope).take(5000) {
        let Some(property) = tree.raw_attribute(id, "itemprop") else { continue };
        let value = || value(tree, id);
        match property {
            "name" if product.name.is_none() => product.name = value(),
            "price" | "lowPrice" if product.price.is_none() => {
                product.price = value().and_then(|text| number(&text))
            }
            "priceCurrency" if product.currency.is_none() => {
                product.currency = value().and_then(|text| currency(&text))
            }
            "availability" if product.availability.is_none() => {
                product.availability = value().and_then(|text| last_word(&text))
            }
            _ => {}
        }
    }
    (product != Product::default()).then_some(product)
}

fn value(tree: &Tree<'_>, id: Id) -> Option<String> {
    let told = ["content", "href", "value"].iter().find_map(|name| tree.attribute(id, name));
    let text = told.map_or_else(|| said(tree, id), std::borrow::Cow::into_owned);
    short(&text)
}

/// Longer ones are no names.
const MAX_BYTES: usize = 1000;

/// A value made tidy; `None` if nothing is left, or too much.
fn short(text: &str) -> Option<String> {
    Some(tidy(text)).filter(|text| !text.is_empty() && text.len() < MAX_BYTES)
}

fn metas(page: &Page<'_>) -> Option<Product> {
    let of = |about| page.metas(about).map(|meta| meta.content.trim()).next();
    let price = of(About::Price).and_then(number)?;
    Some(Product {
        name: of(About::Title).and_then(short),
        price: Some(price),
        currency: of(About::Currency).and_then(currency),
        availability: of(About::Availability).and_then(last_word),
    })
}

/// `https://schema.org/InStock` is `InStock`.
fn last_word(text: &str) -> Option<String> {
    let word = text.trim().rsplit('/').next()?;
    (!word.is_empty() && word.len() < MAX_BYTES).then(|| word.to_owned())
}

fn currency(text: &str) -> Option<String> {
    let text = text.trim();
    let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| text.to_ascii_uppercase())
}

/// `1.299,00 €`, `1,299.00` and `1299` as a number with a point.
fn number(text: &str) -> Option<String> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '\u{a0}' | '\'');
    let length = text[from..].find(|c: char| !digits(c)).unwrap_or(text.len() - from);
    let written: String = text[from..from + length]
        .chars()
        .filter(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    let written = written.trim_end_matches(['.', ',']);
    let cents = written.rfind(['.', ',']).filter(|at| is_point(written, *at));
    let (whole, cents) = written.split_at(cents.unwrap_or(written.len()));
    let mut number: String = whole.chars().filter(char::is_ascii_digit).collect();
    if cents.len() > 1 {
        number.push('.');
        number.push_str(&cents[1..]);
    }
    (!number.is_empty() && number.len() <= 20).then_some(number)
}

/// Whether the last mark of a number divides whole from part, and not thousands.
fn is_point(written: &str, at: usize) -> bool {
    let behind = written.len() - at - 1;
    let mark = &written[at..=at];
    let again = written[..at].contains(mark);
    let other = written[..at].contains(['.', ',']) && !again;
    !again
        && (behind != 3
            || other
            || (mark == "." && written[..at].trim_start_matches('0').is_empty()))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn prices_are_numbers_with_a_point() {
        for (text, expected) in [
            ("19.99", Some("19.99")),
            ("19,99 €", Some("19.99")),
            ("1.299,00 €", Some("1299.00")),
            ("$1,299.00", Some("1299.00")),
            ("1,299", Some("1299")),
            ("1 299,5", Some("1299.5")),
            ("1.299.000", Some("1299000")),
            ("0.125", Some("0.125")),
            ("5", Some("5")),
            ("free", None),
            ("", None),
        ] {
            assert_eq!(number(text).as_deref(), expected, "{text}");
        }
    }
}
