//! The words in classes and ids: `article-body`, `relatedPosts`, `newsletter_signup`. Authors name
//! things for themselves, and mostly alike.

use super::signs::Signs;

/// Longer words are looked at no further.
const LONGEST: usize = 24;

/// Adds what the words of a class or an id say.
pub fn read(text: &str, signs: &mut Signs) {
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
            last = if byte.is_ascii_whitespace() { Kind::Plain } else { kind };
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
        b"article" | b"story" | b"post" | b"entry" | b"news" | b"blog" | b"blogpost"
        | b"artikel" | b"beitrag" | b"full" | b"articles" | b"stories" | b"posts" | b"read"
        | b"viewed" | b"beitraege" => Kind::Piece,
        b"main" | b"page" | b"single" | b"detail" | b"primary" => Kind::Wide,
        b"body" | b"content" | b"text" | b"copy" | b"contents" | b"inhalt" => Kind::Inside,
        b"articlebody" | b"articletext" | b"articlecontent" | b"storybody" | b"storytext"
        | b"storycontent" | b"postbody" | b"postcontent" | b"posttext" | b"entrycontent"
        | b"entrybody" | b"entrytext" | b"bodytext" | b"bodycopy" | b"fulltext" | b"newstext"
        | b"contentbody" | b"artikeltext" => Kind::PieceInside,
        b"ad" | b"ads" | b"adv" | b"nav" | b"menu" | b"tags" | b"taglist" | b"topics"
        | b"footer" | b"widgets" | b"gdpr" | b"outbrain" | b"taboola" | b"teasers" | b"aside"
        | b"werbung" | b"anzeige" | b"masthead" | b"breadcrumbs" | b"crumbs" | b"recirc" => {
            Kind::Side
        }
        b"modal" | b"popup" | b"overlay" | b"print" | b"login" | b"toolbar" | b"tools"
        | b"rating" | b"ratings" | b"follow" | b"skip" | b"player" | b"survey" | b"poll"
        | b"alert" | b"caption" | b"captions" | b"carousel" | b"slideshow" | b"disclaimer"
        | b"sharing" | b"imprint" | b"lightbox" | b"tooltip" => Kind::Around,
        b"author" | b"authors" | b"byline" | b"meta" | b"date" | b"credit" | b"credits"
        | b"time" | b"timestamp" | b"bio" | b"posted" | b"dateline" | b"kicker" | b"copyright"
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
        Some(b's') => {
            begins(&["sidebar", "sponsor", "subscri", "signup", "syndicat", "skyscraper"])
        }
        Some(b't') => begins(&["trending"]),
        Some(b'v') => begins(&["verwandt"]),
        _ => false,
    };
    if side {
        Kind::Side
    } else if begins(&["share", "social"]) {
        Kind::Around
    } else {
        Kind::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_an_element_is() {
        for (text, expected) in [
            ("article-body", vec![Signs::CONTENT, Signs::BODY]),
            ("articleBody", vec![Signs::CONTENT, Signs::BODY]),
            ("entrycontent", vec![Signs::BODY]),
            ("main-content", vec![Signs::CONTENT]),
            ("relatedPosts", vec![Signs::SIDE, Signs::CONTENT]),
            ("most-read", vec![Signs::SIDE]),
            ("COMMENTS", vec![Signs::SIDE]),
            ("has-sidebar no-comments", vec![]),
            ("share_buttons", vec![Signs::AROUND]),
            ("post-teaser", vec![Signs::CONTENT, Signs::TEASER]),
            ("article body", vec![Signs::CONTENT]),
            ("x3182fcbd-ad31 css-1ad2", vec![]),
            ("", vec![]),
        ] {
            let mut signs = Signs::default();
            read(text, &mut signs);
            let mut sum = Signs::default();
            expected.into_iter().for_each(|sign| sum.add(sign));
            assert_eq!(signs, sum, "{text}");
        }
    }
}
