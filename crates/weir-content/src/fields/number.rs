//! The first number in a text, however it is written.

/// What a point or a comma means that could mean both, as in `1.234`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `1.234` is little more than one, and `1,234` more than a thousand.
    Point,
    /// The other way round.
    Comma,
    /// There are no fractions.
    Whole,
}

/// Languages that write a comma before the fraction.
const COMMA: [&str; 46] = [
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr",
    "gl", "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "ky", "lt", "lv", "mk", "nb", "nl", "nn",
    "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
];
/// Countries that do not, whatever their language does elsewhere.
const POINT: [&str; 12] = [
    "de-ch", "de-li", "it-ch", "es-mx", "es-us", "es-pr", "es-gt", "es-sv", "es-hn", "es-ni",
    "es-pa", "es-do",
];

impl Style {
    /// `lang` is in lower case, as in `de-at`.
    pub fn of_lang(lang: &str) -> Style {
        let language = lang.split(['-', '_']).next().unwrap_or_default();
        match COMMA.contains(&language) && !POINT.contains(&lang) {
            true => Style::Comma,
            false => Style::Point,
        }
    }
}

/// Longer ones are no numbers.
const MAX_DIGITS: usize = 64;

pub(super) fn read(text: &str, style: Style) -> Option<f64> {
    let start = text.find(|c| digit(c).is_some())?;
    let groups = Groups::read(&text[start..])?;
    let fraction_at = fraction_at(&groups, style, starts_with_point(&text[..start]))?;
    let mut plain = String::from(if is_negative(&text[..start]) { "-0" } else { "0" });
    for (at, group) in groups.digits.iter().enumerate() {
        if Some(at) == fraction_at {
            plain.push('.');
        }
        plain.push_str(group);
    }
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// `1.234,56` is the digits 1, 234 and 56, and the signs `.` and `,`.
struct Groups {
    digits: Vec<String>,
    signs: Vec<char>,
}

impl Groups {
    fn read(text: &str) -> Option<Groups> {
        let mut groups = Groups { digits: vec![String::new()], signs: Vec::new() };
        let mut chars = text.chars().peekable();
        let mut count = 0;
        while let Some(c) = chars.next() {
            if let Some(digit) = digit(c) {
                count += 1;
                groups.digits.last_mut()?.push(digit);
            } else if let Some(sign) = sign(c)
                && chars.peek().is_some_and(|next| digit(*next).is_some())
                && (sign != ' ' || begins_group(chars.clone()))
            {
                groups.signs.push(sign);
                groups.digits.push(String::new());
            } else {
                break;
            }
        }
        (count <= MAX_DIGITS).then_some(groups)
    }
}

/// Three digits and no more: what a space may stand before.
fn begins_group(rest: impl Iterator<Item = char>) -> bool {
    rest.take(4).take_while(|c| digit(*c).is_some()).count() == 3
}

/// In which group the fraction is, `Some(None)` if there is none, `None` if this is no number.
fn fraction_at(groups: &Groups, style: Style, starts_with_point: bool) -> Option<Option<usize>> {
    if starts_with_point {
        return groups.signs.is_empty().then_some(Some(0));
    }
    let Some(last) = groups.signs.last() else { return Some(None) };
    let ends = groups.digits.len() - 1;
    let is_fraction = match last {
        '.' | ',' => {
            let times = groups.signs.iter().filter(|sign| *sign == last).count();
            times == 1 && (groups.signs.len() > 1 || may_be_fraction(groups, *last, style))
        }
        _ => false,
    };
    let whole = if is_fraction { &groups.digits[..ends] } else { &groups.digits[..] };
    let grouping = &groups.signs[..whole.len() - 1];
    // In India groups of two follow the first one.
    let fits = whole.iter().skip(1).all(|group| matches!(group.len(), 2 | 3))
        && whole.last().is_none_or(|group| whole.len() == 1 || group.len() == 3)
        && grouping.windows(2).all(|pair| pair[0] == pair[1]);
    fits.then_some(is_fraction.then_some(ends))
}

/// A single point or comma.
fn may_be_fraction(groups: &Groups, sign: char, style: Style) -> bool {
    let (whole, after) = (&groups.digits[0], &groups.digits[1]);
    let may_group = after.len() == 3 && whole.len() <= 3 && !whole.starts_with('0');
    match style {
        _ if !may_group => true,
        Style::Whole => false,
        Style::Point => sign == '.',
        Style::Comma => sign == ',',
    }
}

/// `.99`, but not the point that ends a sentence.
fn starts_with_point(before: &str) -> bool {
    let mut chars = before.chars().rev();
    chars.next() == Some('.') && chars.next().is_none_or(|c| !c.is_alphanumeric() && c != '.')
}

/// A minus stands before the number or its currency, and nothing is joined to it.
fn is_negative(before: &str) -> bool {
    let before = before.trim_end_matches('.');
    let currency = |c: char| c.is_whitespace() || is_currency(c);
    let bare = if before.ends_with(currency) && before.contains(is_currency) {
        before.trim_end_matches(currency)
    } else {
        before
    };
    let mut chars = bare.chars().rev();
    matches!(chars.next(), Some('-' | '\u{2212}'))
        && chars.next().is_none_or(|c| c.is_whitespace() || c == '(')
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¤' | '¥' | '\u{20a0}'..='\u{20cf}')
}

/// Those of other scripts, too.
fn digit(c: char) -> Option<char> {
    if c.is_ascii_digit() {
        return Some(c);
    }
    let zeros = ['\u{ff10}', '\u{660}', '\u{6f0}', '\u{966}'];
    let value = |zero: &char| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10);
    zeros.iter().find_map(value).and_then(|value| char::from_digit(value, 10))
}

/// What may stand between digits.
fn sign(c: char) -> Option<char> {
    Some(match c {
        '.' | '\u{66b}' => '.',
        ',' | '\u{ff0c}' => ',',
        '\'' | '\u{2019}' | '\u{66c}' => '\'',
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(style: Style, cases: &[(&str, f64)]) {
        for (text, expected) in cases {
            assert_eq!(read(text, style), Some(*expected), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_however_they_are_written() {
        let cases = [
            ("1,234.56", 1234.56),
            ("1.234,56", 1234.56),
            ("1 234,56 zł", 1234.56),
            ("1\u{202f}234\u{a0}567,5 €", 1_234_567.5),
            ("CHF 1'234.50", 1234.5),
            ("1,234,567", 1_234_567.0),
            ("1.234.567", 1_234_567.0),
            ("₹ 1,23,456.00", 123_456.0),
            ("12,99 €", 12.99),
            ("$12.99 was $15.99", 12.99),
            ("€ 12,-", 12.0),
            ("EUR 12.–", 12.0),
            ("-5", -5.0),
            ("−5,5 °C", -5.5),
            ("-$5.00", -5.0),
            ("- 5", 5.0),
            ("iPhone-15", 15.0),
            ("$.99", 0.99),
            ("0.125", 0.125),
            ("0,125", 0.125),
            ("1234.567", 1234.567),
            ("4.7 out of 5", 4.7),
            ("12 34", 12.0),
            ("１２３", 123.0),
            ("٣٫٥", 3.5),
            ("007", 7.0),
            ("about 12, more or less", 12.0),
        ];
        check(Style::Point, &cases);
        check(Style::Comma, &cases);
    }

    #[test]
    fn what_could_mean_both_is_read_as_the_page_writes() {
        check(Style::Point, &[("1,234", 1234.0), ("1.234", 1.234), ("12.500 kg", 12.5)]);
        check(Style::Comma, &[("1,234", 1.234), ("1.234", 1234.0), ("12.500 kg", 12_500.0)]);
        check(Style::Whole, &[("1,234", 1234.0), ("1.234 Bewertungen", 1234.0), ("4.7", 4.7)]);
        for (lang, style) in [
            ("de", Style::Comma),
            ("de-ch", Style::Point),
            ("pt-br", Style::Comma),
            ("en-gb", Style::Point),
            ("", Style::Point),
        ] {
            assert_eq!(Style::of_lang(lang), style, "{lang}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        let long = "1".repeat(100);
        for text in ["", "none", "1.2.3", "01.11.2026", "1,2.3,4", &long] {
            assert_eq!(read(text, Style::Point), None, "{text}");
        }
    }
}
