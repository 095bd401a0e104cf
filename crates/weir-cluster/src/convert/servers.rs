use std::net::SocketAddr;

use weir_crawl::{MOST_SERVERS, ServerGrant, ServerKey, ServerManners, ServerWord, ServerWords};

use super::{Odd, address, to_address};
use crate::wire;

pub fn to_server_words(words: &ServerWords, all: bool) -> wire::ServerWords {
    let ServerManners { most, delay_ms } = words.manners;
    wire::ServerWords { all, most, delay_ms, words: words.words.iter().map(to_word).collect() }
}

pub fn server_words(sent: &wire::ServerWords) -> Result<ServerWords, Odd> {
    if sent.words.len() > MOST_SERVERS {
        return Err(Odd::new("the number of servers", sent.words.len()));
    }
    if sent.most == 0 {
        return Err(Odd::new("the number of requests at a time", 0));
    }
    let manners = ServerManners { most: sent.most, delay_ms: sent.delay_ms };
    let words = sent.words.iter().map(word).collect::<Result<_, _>>()?;
    Ok(ServerWords { manners, words })
}

pub fn to_server_grant(grant: &ServerGrant) -> wire::ServerGrant {
    let ServerGrant { server, version, slots, wait_ms, contested } = *grant;
    wire::ServerGrant { server: Some(to_server(server)), version, slots, wait_ms, contested }
}

pub fn server_grant(sent: &wire::ServerGrant) -> Result<ServerGrant, Odd> {
    let wire::ServerGrant { server: of, version, slots, wait_ms, contested } = sent;
    Ok(ServerGrant {
        server: server(of.as_ref())?,
        version: *version,
        slots: *slots,
        wait_ms: *wait_ms,
        contested: *contested,
    })
}

fn to_word(word: &ServerWord) -> wire::ServerWord {
    let ServerWord { server, version, slots, wants, rested_ms } = *word;
    wire::ServerWord { server: Some(to_server(server)), version, slots, wants, rested_ms }
}

fn word(sent: &wire::ServerWord) -> Result<ServerWord, Odd> {
    let wire::ServerWord { server: of, version, slots, wants, rested_ms } = sent;
    Ok(ServerWord {
        server: server(of.as_ref())?,
        version: *version,
        slots: *slots,
        wants: *wants,
        rested_ms: *rested_ms,
    })
}

fn to_server((ip, port): ServerKey) -> wire::Address {
    to_address(&SocketAddr::new(ip, port))
}

fn server(sent: Option<&wire::Address>) -> Result<ServerKey, Odd> {
    let sent = sent.ok_or_else(|| Odd::new("a server", "none"))?;
    let server = address(sent)?;
    Ok((server.ip(), server.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent() -> wire::ServerWords {
        let word = ServerWord {
            server: ("2001:db8::1".parse().expect("an address"), 8080),
            version: 7,
            slots: 2,
            wants: true,
            rested_ms: Some(0),
        };
        let manners = ServerManners { most: 3, delay_ms: 250 };
        to_server_words(&ServerWords { manners, words: vec![word] }, true)
    }

    #[test]
    fn what_is_said_arrives_as_it_was() {
        let words = server_words(&sent()).expect("it is right");
        assert_eq!(to_server_words(&words, true), sent());
        let grant = ServerGrant {
            server: ([192, 0, 2, 7].into(), 0),
            version: u64::MAX,
            slots: 1,
            wait_ms: 40,
            contested: true,
        };
        assert_eq!(server_grant(&to_server_grant(&grant)), Ok(grant));
    }

    #[test]
    fn what_no_right_task_says_of_servers_is_odd() {
        let check = |change: fn(&mut wire::ServerWords)| {
            let mut words = sent();
            change(&mut words);
            assert!(server_words(&words).is_err(), "{words:?}");
        };
        check(|words| words.most = 0);
        check(|words| words.words[0].server = None);
        check(|words| words.words = vec![words.words[0].clone(); MOST_SERVERS + 1]);
        check(|words| {
            words.words[0].server.iter_mut().for_each(|server| server.ip = vec![1; 5].into());
        });
        check(|words| words.words[0].server.iter_mut().for_each(|server| server.port = 65_536));
    }
}
