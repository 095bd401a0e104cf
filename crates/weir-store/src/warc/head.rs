/// The response head as it is stored. The fetcher undid the transfer coding, so a reader that
/// found `Transfer-Encoding: chunked` would take the body apart once more; the field stays, under
/// a name that no reader acts upon.
pub(crate) fn without_transfer_coding(head: Vec<u8>) -> Vec<u8> {
    if !lines(&head).any(is_transfer_coding) {
        return head;
    }
    let mut renamed = Vec::with_capacity(head.len() + 2 * PREFIX.len());
    for line in lines(&head) {
        if is_transfer_coding(line) {
            renamed.extend_from_slice(PREFIX);
        }
        renamed.extend_from_slice(line);
    }
    renamed
}

const PREFIX: &[u8] = b"X-Crawler-";
const NAME: &[u8] = b"transfer-encoding";

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split_inclusive(|byte| *byte == b'\n')
}

fn is_transfer_coding(line: &[u8]) -> bool {
    let Some((name, rest)) = line.split_at_checked(NAME.len()) else { return false };
    name.eq_ignore_ascii_case(NAME) && rest.trim_ascii_start().first() == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, stored: &str) {
        let got = without_transfer_coding(head.as_bytes().to_vec());
        assert_eq!(String::from_utf8(got).unwrap(), stored);
    }

    #[test]
    fn the_transfer_coding_is_renamed_and_all_else_stays() {
        check(
            "HTTP/1.1 200 OK\r\ntransfer-Encoding:  chunked\r\nA: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Crawler-transfer-Encoding:  chunked\r\nA: b\r\n\r\n",
        );
        check(
            "HTTP/1.1 200 OK\nTransfer-Encoding : gzip\nTransfer-Encoding: chunked\n\n",
            "HTTP/1.1 200 OK\nX-Crawler-Transfer-Encoding : gzip\nX-Crawler-Transfer-Encoding: chunked\n\n",
        );
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for head in [
            "HTTP/1.1 200 OK\r\nX-Transfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding-X: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nVary: Transfer-Encoding: x\r\n\r\n",
            "",
        ] {
            check(head, head);
        }
    }
}
