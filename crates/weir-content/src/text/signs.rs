//! What the class, id and role of an element say about it, word by word: `article-body`,
//! `relatedPosts`, `newsletter_signup`. Authors name things for themselves, and mostly alike.

use weir_parse::tree::{Id, Name, Tree};

/// What an element says about itself; several may be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs(u8);

impl Signs {
    /// The text of an article, and nothing else.
    pub const BODY: Signs = Signs(1);
    /// An article or the main part of a page.
    pub const CONTENT: Signs = Signs(2);
    /// Surely not the article: navigation, comments, what else there is to read.
    pub const SIDE: Signs = Signs(4);
    /// Hardly the article: not shown, or shown around it.
    pub const AROUND: Signs = Signs(8);
    /// About the article: who, when, tags, the text of a picture.
    pub const ABOUT: Signs = Signs(16);
    /// The beginning of an article: of this one, or of another that it links to.
    pub const TEASER: Signs = Signs(32);

    pub fn has(self, any: Signs) -> bool {
        self.0 & any.0 != 0
    }

    fn add(&mut self, other: Signs) {
        self.0 |= other.0;
    }
}

pub fn of(tree: &Tree<'_>, id: Id) -> Signs {
    let mut signs = of_name(tree.name(id));
    for (name, value) in tree.raw_attributes(id) {
        match name.len() {
            2 if name.eq_ignore_ascii_case("id") => of_words(value, &mut signs),
            4 if name.eq_ignore_ascii_case("role") => signs.add(of_role(value)),
            5 if name.eq_ignore_ascii_case("class") => of_words(value, &mut signs),
            5 if name.eq_ignore_ascii_case("style") && hides(value) => signs.add(Signs::AROUND),
            6 if name.eq_ignore_ascii_case("hidden") => signs.add(Signs::AROUND),
            8 if name.eq_ignore_ascii_case("itemprop") => signs.add(of_property(value)),
            11 if name.eq_ignore_ascii_case("aria-hidden") && value == "true" => {
                signs.add(Signs::AROUND);
            }
            _ => {}
        }
    }
    signs
}

fn of_name(name: Name) -> Signs {
    match name {
        Name::Article | Name::Main => Signs::CONTENT,
        Name::Nav | Name::Aside | Name::Footer => Signs::SIDE,
        Name::Form | Name::Dialog | Name::Figcaption => Signs::AROUND,
        _ => Signs::default(),
    }
}

fn of_role(role: &str) -> Signs {
    match role {
        "main" | "article" => Signs::CONTENT,
        "navigation" | "complementary" | "banner" | "contentinfo" | "search" | "dialog"
        | "alertdialog" | "menu" | "menubar" | "toolbar" | "tablist" => Signs::SIDE,
        _ => Signs::default(),
    }
}

fn of_property(property: &str) -> Signs {
    match property {
        "articleBody" | "reviewBody" => Signs::BODY,
        "comment" => Signs::SIDE,
        "author" | "datePublished" | "dateModified" | "keywords" | "caption" => Signs::ABOUT,
        _ => Signs::default(),
    }
}

/// `display: none` and `visibility: hidden`, with or without spaces.
fn hides(style: &str) -> bool {
    let has = |key: &str, value: &str| {
        style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, given)| {
            name.trim().eq_ignore_ascii_case(key)
                && given.trim().get(..value.len()).is_some_and(|g| g.eq_ignore_ascii_case(value))
        })
    };
    has("display", "none") || has("visibility", "hidden")
}

/// Longer words are looked at no further.
const LONGEST: usize = 24;

fn of_words(text: &str, signs: &mut Signs) {
    let mut word = [0_u8; LONGEST];
    let (mut length, mut last, mut before) = (0, Kind::Plain, b' ');
    for byte in text.bytes().chain([b' ']) {
        // `relatedPosts` is two words.
        let hump = byte.is_ascii_uppercase() && before.is_ascii_lowercase();
        let inside = byte.is_ascii_alphabetic();
        if (!inside || hump) && length > 0 {
            // `ad31` is a number, not an advertisement.
            let number = length < 4 && byte.is_ascii_digit();
            let kind = if number { Kind::Plain } else { kind_of(&word[..length]) };
            signs.add(sign_of(last, kind));
            last = if byte == b' ' { Kind::Plain } else { kind };
            length = 0;
        }
        if inside && length < LONGEST {
            word[length] = byte.to_ascii_lowercase();
            length += 1;
        }
        before = byte;
    }
}

/// What a word says, alone or together with the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// `article`, `post`: a thing to read.
    Piece,
    /// `body`, `content`: what is in a thing.
    Inside,
    /// `main`, `page`: a part of the page that holds the article.
    Wide,
    /// `article` and `body` in one word.
    PieceInside,
    Side,
    Around,
    About,
    Teaser,
    /// `more`, `most`: beside the article if what follows is something to read.
    More,
    /// `list`: beside the article if it is one of things to read.
    List,
    /// `no`, `has`, `with`: says something about what follows, not that it is here.
    Without,
}

fn sign_of(last: Kind, kind: Kind) -> Signs {
    match (last, kind) {
        (Kind::Without, _) => Signs::default(),
        (Kind::Piece, Kind::Inside) | (_, Kind::PieceInside) => Signs::BODY,
        (Kind::More, Kind::Piece) | (_, Kind::Side) => Signs::SIDE,
        (_, Kind::Around) => Signs::AROUND,
        (_, Kind::About) => Signs::ABOUT,
        (_, Kind::Teaser) | (Kind::Piece, Kind::List) => Signs::TEASER,
        (_, Kind::Piece | Kind::Inside | Kind::Wide) => Signs::CONTENT,
        _ => Signs::default(),
    }
}

fn kind_of(word: &[u8]) -> Kind {
    match word {
        b"article" | b"story" | b"post" | b"entry" | b"news" | b"blog" | b"blogpost" | b"artikel"
        | b"beitrag" | b"full" => Kind::Piece,
        b"main" | b"page" | b"single" | b"detail" | b"primary" => Kind::Wide,
        b"articles" | b"stories" | b"posts" | b"read" | b"viewed" | b"beitraege" => Kind::Piece,
        b"body" | b"content" | b"text" | b"copy" | b"contents" | b"inhalt" => Kind::Inside,
        b"articlebody" | b"articletext" | b"articlecontent" | b"storybody" | b"storytext"
        | b"storycontent" | b"postbody" | b"postcontent" | b"posttext" | b"entrycontent"
        | b"entrybody" | b"entrytext" | b"bodytext" | b"bodycopy" | b"fulltext" | b"newstext"
        | b"contentbody" | b"artikeltext" => Kind::PieceInside,
        b"ad" | b"ads" | b"adv" | b"nav" | b"menu" | b"tags" | b"taglist" | b"topics" | b"footer"
        | b"widgets" | b"gdpr" | b"outbrain" | b"taboola" | b"teasers" | b"aside" | b"werbung"
        | b"anzeige" | b"masthead" | b"breadcrumbs" | b"crumbs" | b"recirc" => Kind::Side,
        b"modal" | b"popup" | b"overlay" | b"print" | b"login" | b"toolbar" | b"tools" | b"rating"
        | b"ratings" | b"follow" | b"skip" | b"player" | b"survey" | b"poll" | b"alert"
        | b"caption" | b"captions" | b"carousel" | b"slideshow" | b"disclaimer"
        | b"share" | b"sharing" | b"social" | b"imprint" | b"lightbox" | b"tooltip" => Kind::Around,
        b"author" | b"authors" | b"byline" | b"meta" | b"date" | b"credit" | b"credits" | b"time"
        | b"timestamp" | b"bio" | b"posted" | b"dateline" | b"kicker" | b"copyright"
        | b"category" | b"categories" | b"info" | b"label" | b"tag" => Kind::About,
        b"teaser" | b"excerpt" => Kind::Teaser,
        b"more" | b"most" | b"latest" | b"recent" | b"next" | b"prev" | b"previous" | b"also"
        | b"other" | b"top" | b"similar" => Kind::More,
        b"list" | b"listing" | b"feed" => Kind::List,
        b"no" | b"has" | b"with" | b"without" | b"not" | b"hide" | b"js" | b"is" => Kind::Without,
        _ => kind_of_stem(word),
    }
}

fn kind_of_stem(word: &[u8]) -> Kind {
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem.as_bytes()));
    let side = match word.first() {
        Some(b'a') => begins(&["advert", "adsense"]),
        Some(b'b') => begins(&["breadcrumb", "banner"]),
        Some(b'c') => begins(&["comment", "cookie", "consent"]),
        Some(b'd') => begins(&["disqus", "discussion"]),
        Some(b'k') => begins(&["kommentar"]),
        Some(b'm') => begins(&["mostread", "morestories", "mostpopular"]),
        Some(b'n') => begins(&["newsletter", "navig", "navbar"]),
        Some(b'p') => begins(&["promo", "paginat", "pager", "popular"]),
        Some(b'r') => begins(&["related", "recommend", "readmore", "readnext", "reply", "respond"]),
        Some(b's') => begins(&[
            "sidebar", "sponsor", "subscri", "signup", "syndicat", "skyscraper",
        ]),
        Some(b't') => begins(&["trending"]),
        Some(b'v') => begins(&["verwandt"]),
        _ => false,
    };
    match side {
        true => Kind::Side,
        false if begins(&["share", "social"]) => Kind::Around,
        false => Kind::Plain,
    }
}
