macro_rules! keys {
    ($($key:ident $text:literal,)*) => {
        /// The properties of a thing that we read; those of schema.org unless they begin with `@`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Key {
            /// Any other: kept only for the things in it.
            Other,
            $($key,)*
        }

        impl Key {
            pub fn of(name: &str) -> Key {
                match bare(name) {
                    $($text => Key::$key,)*
                    _ => Key::Other,
                }
            }
        }
    };
}

keys! {
    Author "author", Availability "availability", ContentUrl "contentUrl",
    CopyrightHolder "copyrightHolder", Creator "creator", DateCreated "dateCreated",
    DateModified "dateModified", DatePublished "datePublished", EmbedUrl "embedUrl",
    FamilyName "familyName", GivenName "givenName", Graph "@graph", Headline "headline",
    HighPrice "highPrice", Id "@id", InLanguage "inLanguage", LowPrice "lowPrice",
    MainEntity "mainEntity", MainEntityOfPage "mainEntityOfPage", Name "name", Offers "offers",
    Price "price", PriceCurrency "priceCurrency", PriceSpecification "priceSpecification",
    Publisher "publisher", Text "@value", Type "@type", UploadDate "uploadDate", Url "url",
}

/// The name without the address of its vocabulary.
pub fn bare(name: &str) -> &str {
    let name = name.strip_prefix("schema:").unwrap_or(name);
    match name.rsplit_once("schema.org/") {
        Some((_, name)) => name,
        None => name,
    }
}
