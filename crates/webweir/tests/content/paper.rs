//! A small newspaper with a shop, written for these tests: each section has a list of articles in
//! several pages, each article is one day older than the one before.

use std::time::{Duration, SystemTime};

use weir_testsite::{Asked, Script};

pub const FOOD: &str = "food";
pub const SECTIONS: [&str; 5] = ["gardens", "football", FOOD, "cinema", "traffic"];
pub const ARTICLES: usize = 24;
pub const GOODS: usize = 8;
/// The one of [`FOOD`] that is in German.
pub const GERMAN: usize = 3;
const ON_A_LIST: usize = 6;

/// What the paper answers after a while; 404 where there is nothing.
pub fn answer(asked: &Asked<'_>, after: Duration) -> Script {
    let (status, body) = page(asked.path).map_or((404, "nothing".to_owned()), |page| (200, page));
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: text/html; charset=utf-8\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    Script::default().pause(after).send((head + &body).into_bytes())
}

/// Every page there is.
pub fn paths() -> Vec<String> {
    let mut paths = vec!["/".to_owned(), "/shop/".to_owned()];
    for section in SECTIONS {
        let lists = (0..ARTICLES.div_ceil(ON_A_LIST)).map(|list| list_path(section, list));
        paths.extend(lists.chain((0..ARTICLES).map(|n| format!("/{section}/{n}"))));
    }
    paths.extend((0..GOODS).map(|n| format!("/shop/{n}")));
    paths
}

fn page(path: &str) -> Option<String> {
    let (section, rest) = path.strip_prefix('/')?.split_once('/').unwrap_or(("", ""));
    let number = rest.parse::<usize>().ok();
    match (section, number) {
        ("", _) if path == "/" => Some(front()),
        ("shop", Some(n)) if n < GOODS => Some(good(n)),
        ("shop", None) if rest.is_empty() => Some(shop()),
        (section, Some(n)) if SECTIONS.contains(&section) && n < ARTICLES => {
            Some(article(section, n))
        }
        (section, None) if SECTIONS.contains(&section) => {
            let list = rest.strip_prefix("?page=").map_or(Some(0), |list| list.parse().ok())?;
            (list * ON_A_LIST < ARTICLES).then(|| list_of(section, list))
        }
        _ => None,
    }
}

fn front() -> String {
    let link = |section: &&str| format!("<li><a href='/{section}/'>All about {section}</a>");
    let links: String = SECTIONS.iter().map(link).collect();
    html("en", "The Morning Paper", &format!("<ul>{links}<li><a href='/shop/'>Shop</a></ul>"))
}

fn list_path(section: &str, list: usize) -> String {
    if list == 0 { format!("/{section}/") } else { format!("/{section}/?page={list}") }
}

fn list_of(section: &str, list: usize) -> String {
    let articles = list * ON_A_LIST..(list + 1) * ON_A_LIST;
    let link = |n| format!("<li><a href='/{section}/{n}'>{}</a>", headline(section, n));
    let links: String = articles.filter(|n| *n < ARTICLES).map(link).collect();
    let older = match (list + 1) * ON_A_LIST < ARTICLES {
        true => format!("<p><a href='{}'>Older ones</a>", list_path(section, list + 1)),
        false => String::new(),
    };
    html("en", section, &format!("<ul>{links}</ul>{older}"))
}

/// When an article was published: so many days ago, and an hour.
fn published(n: usize) -> String {
    let ago = Duration::from_secs(n as u64 * 86_400 + 3_600);
    let time = jiff::Timestamp::try_from(SystemTime::now() - ago).unwrap();
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn headline(section: &str, n: usize) -> String {
    let of = match section {
        FOOD if n == GERMAN => "Rückruf von Eiern nach einem Fund von Salmonella",
        FOOD => match n % 3 {
            0 => "Eggs are called back after salmonella was found",
            1 => "Recall of cheese: what buyers should know",
            _ => "Food safety office closes a dairy",
        },
        "football" => "A late goal decides the cup match",
        "gardens" => "When to cut the roses",
        "cinema" => "The director who films only at night",
        _ => "The bridge is closed until spring",
    };
    format!("{of} ({n})")
}

fn article(section: &str, n: usize) -> String {
    let lang = if section == FOOD && n == GERMAN { "de" } else { "en" };
    let title = headline(section, n);
    let head = format!(
        "<script type='application/ld+json'>{{\"@context\":\"https://schema.org\",\
         \"@type\":\"NewsArticle\",\"headline\":\"{title}\",\"datePublished\":\"{}\",\
         \"author\":{{\"@type\":\"Person\",\"name\":\"Ada Writer\"}},\
         \"publisher\":{{\"@type\":\"Organization\",\"name\":\"The Morning Paper\"}}}}</script>",
        published(n)
    );
    let next = (n + 7) % ARTICLES;
    let at = SECTIONS.iter().position(|it| *it == section).unwrap_or(0);
    let other = SECTIONS[(at + 1 + n % 4) % SECTIONS.len()];
    let body = format!(
        "<article><h1>{title}</h1>{}</article><aside><a href='/{section}/{next}'>{}</a> \
         <a href='/{other}/{n}'>{}</a></aside>",
        paragraphs(section, n),
        headline(section, next),
        headline(other, n)
    );
    html(lang, &title, &(head + &body))
}

fn paragraphs(section: &str, n: usize) -> String {
    let texts: [&str; 3] = match section {
        FOOD if n == GERMAN => [
            "Der Händler ruft alle Eier zurück, die seit Montag verkauft wurden, weil in einer Probe \
             Salmonella gefunden wurde. Wer sie noch hat, bringt sie in den Laden zurück.",
            "Das Amt hat den Hof besucht und die Ställe gesperrt, bis neue Proben vorliegen. Krank \
             geworden ist bisher niemand, und das soll auch so bleiben.",
            "Der Hof liefert an vierzig Läden in drei Ländern, die alle benachrichtigt sind.",
        ],
        FOOD => [
            "The food safety office has asked for a recall of everything that left the farm since \
             Monday, because <b>salmonella</b> was found in a sample that was taken at the shop.",
            "Whoever still has some of it at home should bring it back. A recall costs the farm much, \
             but food safety comes first, said the head of the office on the phone.",
            "The contamination began in a broken pipe. Two people were ill with salmonella and are \
             well again; the recall ends when three samples in a row are clean.",
        ],
        "football" => [
            "The home side had the ball for most of the evening and did little with it, until a \
             corner in the last minute found the head of the youngest player on the field.",
            "The coach had taken off two strikers by then and was booed for it by his own people.",
            "On Saturday they play the leaders, who have not lost since the summer.",
        ],
        "gardens" => [
            "Roses are cut when the forsythia blooms, says an old rule, and it is as good as any \
             other, for a plant knows more about the weather than a calendar.",
            "Cut above an eye that looks outwards, and never leave a stump that can rot.",
            "What is left of the wood can stay below the hedge, where hedgehogs like it.",
        ],
        "cinema" => [
            "For thirty years she has worked only after sunset, with a crew of nine, and her films \
             look as if somebody had forgotten to switch off a lamp in the next room.",
            "The new one is about a man who reads the meters of a town and falls in love with a house.",
            "It runs for four hours, and nobody in the theatre looked at a watch.",
        ],
        _ => [
            "Whoever drives to work over the old bridge has to find another way from Monday, for the \
             city closes it until spring, and longer if the river freezes.",
            "Buses take the road by the station, and are ten minutes later than the timetable says.",
            "The mayor asks for patience; the bridge is older than she is, and it shows.",
        ],
    };
    texts.iter().map(|text| format!("<p>{text}</p>")).collect()
}

fn shop() -> String {
    let links: String =
        (0..GOODS).map(|n| format!("<li><a href='/shop/{n}'>Good {n}</a>")).collect();
    html("en", "Shop", &format!("<ul>{links}</ul>"))
}

/// Each costs a little more than the one before; every third is sold out.
pub fn price(n: usize) -> f64 {
    1000.5 + n as f64 * 250.0
}

pub fn is_sold_out(n: usize) -> bool {
    n % 3 == 2
}

fn good(n: usize) -> String {
    let whole = price(n) as u64;
    let shown = format!("{},{:03}.50", whole / 1000, whole % 1000);
    let sold_out = if is_sold_out(n) { "<b class=sold-out>Sold out</b>" } else { "" };
    let body = format!(
        "<main class=product data-sku='SKU-{n}'><h1>Lamp number {n}</h1>\
         <p class='price now'>$ {shown} <small>with tax</small></p>{sold_out}\
         <figure><img src='/i/{n}-a.jpg'><img src='/i/{n}-b.jpg'></figure>\
         <table><tr><th>Weight<td class=weight>{}.5 kg</table></main>",
        n + 1
    );
    html("en", &format!("Lamp number {n}"), &body)
}

fn html(lang: &str, title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang={lang}><head><meta charset=utf-8><title>{title}</title></head>\
         <body><header><a href='/'>The Morning Paper</a></header>{body}\
         <footer>© The Morning Paper</footer></body></html>"
    )
}
