//! Words that stand around names, in the languages of many pages.

/// Words right before a name.
#[rustfmt::skip]
pub const BY: &[&str] = &["by", "von", "par", "por", "door", "przez", "автор", "автора"];

/// Words that come before a name.
#[rustfmt::skip]
pub const BEGINS: &[&str] = &[
    "written by", "posted by", "published by", "reported by", "story by", "words by", "text by",
    "article by", "reviewed by", "author", "authors", "by", "from", "autor", "autorin", "autoren", "von",
    "ein beitrag von", "ein artikel von", "geschrieben von", "verfasst von", "text", "texte",
    "text & fotos", "text und fotos", "par", "publié par", "écrit par", "auteur", "por", "escrito por",
    "publicado por", "redacción", "di", "a cura di", "scritto da", "pubblicato da", "autore", "door",
    "geschreven door", "автор", "авторы", "текст", "przez", "yazan", "yazar", "av", "af", "skrevet af",
    "skrevet av", "foto", "fotos",
];

/// Words that say what somebody does, not who it is.
#[rustfmt::skip]
pub const ROLES: &[&str] = &[
    "writer", "writers", "editor", "editors", "reporter", "reporters", "correspondent", "contributor",
    "contributors", "journalist", "columnist", "producer", "staff", "photographer", "fellow", "intern",
    "phd", "redakteur", "redakteurin", "korrespondent", "chefredakteur", "journaliste", "rédacteur",
    "rédactrice", "periodista", "redactor", "redattore", "giornalista", "jornalista", "contributing",
    "senior", "chief", "expert", "guest",
];

/// Words that stand around names.
#[rustfmt::skip]
pub const NOISE: &[&str] = &[
    "follow", "read", "more", "view", "share", "bio", "profile", "email", "e-mail",
    "twitter", "facebook", "minutes", "min", "updated", "published", "posted", "posts", "comments",
    "subscribe", "author", "authors", "autor", "autorin", "about", "by", "von", "on",
];

/// Those whose reports others print; beside a person they are not the author.
#[rustfmt::skip]
pub const AGENCIES: &[&str] = &[
    "associatedpress", "theassociatedpress", "ap", "reuters", "afp", "agencefrancepresse", "dpa", "apa", "sda",
    "efe", "ansa", "upi", "tass", "interfax", "xinhua", "pti", "ani", "bloomberg",
];
