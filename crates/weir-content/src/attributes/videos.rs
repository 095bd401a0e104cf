//! The videos on a page, and the players that show one.

use weir_parse::tree::{Id, Name};

use super::jsonld::Key;
use super::meta::About;
use super::page::Page;
use super::{Found, Source};

/// More than this are a list of videos; the first of it will do.
const MAX_VIDEOS: usize = 100;

pub fn videos(page: &Page<'_>) -> Vec<Found<String>> {
    let mut videos = Videos { page, found: Vec::new() };
    page.players.iter().for_each(|id| videos.element(*id));
    for meta in page.metas(About::Video) {
        videos.add(&meta.content, meta.source);
    }
    for thing in page.linked.every() {
        if thing.is(|name| name == "VideoObject") {
            for key in [Key::ContentUrl, Key::EmbedUrl] {
                thing
                    .all(key)
                    .filter_map(|json| json.text())
                    .for_each(|url| videos.add(url, Source::JsonLd));
            }
        }
    }
    videos.found
}

struct Videos<'p, 't> {
    page: &'p Page<'t>,
    found: Vec<Found<String>>,
}

impl Videos<'_, '_> {
    fn add(&mut self, link: &str, source: Source) {
        if link.trim().is_empty() || self.found.len() >= MAX_VIDEOS {
            return;
        }
        let Some(url) = self.page.absolute(link) else { return };
        if !self.found.iter().any(|one| one.value == url) {
            self.found.push(Found::new(url, source));
        }
    }

    fn element(&mut self, id: Id) {
        let tree = &self.page.tree;
        match tree.name(id) {
            Name::Video => self.attribute(id, "src"),
            Name::Source if tree.ancestors(id).any(|up| tree.name(up) == Name::Video) => {
                self.attribute(id, "src")
            }
            Name::Iframe | Name::Embed => self.player(id, "src"),
            Name::Object => self.player(id, "data"),
            _ => {}
        }
    }

    fn attribute(&mut self, id: Id, name: &str) {
        if let Some(link) = self.page.tree.attribute(id, name) {
            self.add(&link, Source::Player);
        }
    }

    fn player(&mut self, id: Id, name: &str) {
        let Some(link) = self.page.tree.attribute(id, name) else { return };
        if self.page.absolute(&link).is_some_and(|url| is_player(&url)) {
            self.add(&link, Source::Player);
        }
    }
}

/// Hosts, and how a path on them begins that shows one video.
const PLAYERS: &[(&str, &str)] = &[
    ("youtube.com", "/embed/"),
    ("youtube.com", "/v/"),
    ("youtube-nocookie.com", "/embed/"),
    ("player.vimeo.com", "/video/"),
    ("dailymotion.com", "/embed/"),
    ("geo.dailymotion.com", "/player"),
    ("players.brightcove.net", "/"),
    ("content.jwplatform.com", "/players/"),
    ("cdn.jwplayer.com", "/players/"),
    ("facebook.com", "/plugins/video"),
    ("player.twitch.tv", "/"),
    ("clips.twitch.tv", "/embed"),
    ("streamable.com", "/"),
    ("fast.wistia.net", "/embed/"),
    ("fast.wistia.com", "/embed/"),
    ("embed.ted.com", "/"),
    ("rutube.ru", "/play/embed/"),
    ("vk.com", "/video_ext"),
    ("ok.ru", "/videoembed/"),
    ("player.bilibili.com", "/"),
    ("tiktok.com", "/embed"),
    ("rumble.com", "/embed/"),
    ("odysee.com", "/$/embed/"),
    ("loom.com", "/embed/"),
    ("play.vidyard.com", "/"),
    ("player.youku.com", "/embed/"),
    ("v.qq.com", "/txp/iframe/"),
    ("coub.com", "/embed/"),
    ("kaltura.com", "/p/"),
    ("vidazoo.com", "/"),
    ("video.yandex.ru", "/iframe/"),
    ("archive.org", "/embed/"),
    ("bitchute.com", "/embed/"),
    ("peertube", "/videos/embed/"),
];

fn is_player(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let at = |name: &str| {
        host == name || host.strip_suffix(name).is_some_and(|before| before.ends_with('.'))
    };
    PLAYERS.iter().any(|(name, begin)| at(name) && path.starts_with(begin))
}
