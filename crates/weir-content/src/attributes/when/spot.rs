//! Days as people write them: `22 December 2023`, `Dec. 22nd, 2023`, `22.12.2023`, `2023-12-22`,
//! `22 de diciembre de 2023`, `2023年12月22日`.

use jiff::civil::Date;

use super::cursor::Cursor;
use super::months::month;

/// Which comes first in `3/4/2023`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    DayMonth,
    MonthDay,
}

/// A day in a text, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub day: Date,
    pub from: usize,
    pub to: usize,
    /// Written with the year first, as machines do.
    pub year_first: bool,
}

/// All days in a text, from its beginning to its end.
pub fn spots(text: &str, order: Order) -> impl Iterator<Item = Spot> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(from) = next_number(text, at) {
            let length = text[from..].bytes().take_while(u8::is_ascii_digit).count();
            at = from + length;
            if let Some(spot) = spot(text, from, length, order) {
                at = spot.to;
                return Some(spot);
            }
        }
        None
    })
}

/// Where the next digit is that does not belong to a word.
fn next_number(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let from = at + text.get(at..)?.bytes().position(|byte| byte.is_ascii_digit())?;
        let before = from.checked_sub(1).map_or(b' ', |before| text.as_bytes()[before]);
        if !before.is_ascii_alphanumeric() {
            return Some(from);
        }
        at = from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    }
}

fn spot(text: &str, from: usize, length: usize, order: Order) -> Option<Spot> {
    let number: i32 = text[from..from + length.min(8)].parse().ok()?;
    let mut cursor = Cursor::new(text, from + length);
    let day = match length {
        8 => joined(number)?,
        4 => year_first(number, &mut cursor)?,
        1 | 2 => day_first(number, from, &mut cursor, order)?,
        _ => return None,
    };
    let cut = cursor.peek().is_some_and(|next| next.is_ascii_digit());
    (!cut).then_some(Spot { day, from, to: cursor.at, year_first: length > 2 })
}

/// `20231222`.
fn joined(number: i32) -> Option<Date> {
    date(number / 10_000, number / 100 % 100, number % 100)
}

/// Behind the year of `2023-12-22`, `2023/dec/22`, `2023. 12. 22.`, `2023年12月22日`.
fn year_first(year: i32, cursor: &mut Cursor<'_>) -> Option<Date> {
    let first = cursor.one_of(&['-', '/', '.', '_', '年', '년', ' '])?;
    cursor.spaces();
    let month = match cursor.number(1, 2) {
        Some(month) => month,
        None => i32::from(month(cursor.word())?),
    };
    let second = cursor.one_of(&['-', '/', '.', '_', '月', '월', ' '])?;
    let pair =
        first == second || matches!((first, second), ('年', '月') | ('년', '월') | ('.', ' '));
    cursor.spaces();
    let day = cursor.number(1, 2).filter(|_| pair)?;
    date(year, month, day)
}

fn day_first(number: i32, from: usize, cursor: &mut Cursor<'_>, order: Order) -> Option<Date> {
    let start = *cursor;
    if let Some(day) = month_before(number, from, cursor) {
        return Some(day);
    }
    *cursor = start;
    if let Some(day) = numeric(number, from, cursor, order) {
        return Some(day);
    }
    *cursor = start;
    month_behind(number, cursor)
}

const ORDINALS: &[&str] = &["st", "nd", "rd", "th", "er", "ter", "ten", "de", "o", "a"];

fn ordinal(cursor: &mut Cursor<'_>) {
    if !cursor.word_of(ORDINALS) {
        cursor.one_of(&['.', 'º', 'ª', '°']);
    }
}

/// `22` of `December 22, 2023`.
fn month_before(day: i32, from: usize, cursor: &mut Cursor<'_>) -> Option<Date> {
    ordinal(cursor);
    cursor.skip(4, |c| matches!(c, ',' | '.') || c.is_whitespace());
    cursor.word_of(&["de", "del"]);
    cursor.spaces();
    let year = cursor.number(4, 4)?;
    let before = cursor.text[..from]
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | '-'));
    let gap = cursor.text[before.len()..from].chars().count();
    let month = (gap <= 4).then(|| month(Cursor::new(before, before.len()).word_before()))??;
    date(year, i32::from(month), day)
}

/// `22` of `22 December 2023`, `22. Dezember 2023`, `22 de diciembre de 2023`, `22-Dec-23`.
fn month_behind(day: i32, cursor: &mut Cursor<'_>) -> Option<Date> {
    ordinal(cursor);
    let between = |c: char| c.is_whitespace() || matches!(c, '-' | '/' | '.' | ',' | '\'' | '’');
    cursor.skip(4, between);
    if cursor.word_of(&["de", "of", "di", "d"]) {
        cursor.skip(4, between);
    }
    let name = cursor.word();
    cursor.skip(4, between);
    // Some write the month by both of its names, and some a word before the year.
    let second = *cursor;
    if cursor.word_of(&["de", "del"]) || month(cursor.word()).is_some() {
        cursor.skip(4, between);
    } else {
        *cursor = second;
    }
    let year = match cursor.number(4, 4) {
        Some(year) => year,
        None => century(cursor.number(2, 2).filter(|_| !ends_in_time(cursor))?),
    };
    date(year, i32::from(month(name)?), day)
}

/// What looked like a year of two digits is an hour.
fn ends_in_time(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek(), Some(':' | 'h'))
}

fn century(year: i32) -> i32 {
    2000 + year
}

/// `22.12.2023`, `12/22/2023`, `22-12-2023`; with two digits for the year if all have two.
fn numeric(first: i32, from: usize, cursor: &mut Cursor<'_>, order: Order) -> Option<Date> {
    let wide = cursor.at - from == 2;
    cursor.skip(1, char::is_whitespace);
    let mark = cursor.one_of(&['.', '/', '-', '|'])?;
    cursor.skip(1, char::is_whitespace);
    let begin = cursor.at;
    let second = cursor.number(1, 2)?;
    let wide = wide && cursor.at - begin == 2;
    cursor.skip(1, char::is_whitespace);
    cursor.one_of(&[mark])?;
    cursor.skip(1, char::is_whitespace);
    let year = match cursor.number(4, 4) {
        Some(year) => year,
        None if wide && mark != '-' => century(cursor.number(2, 2)?),
        None => return None,
    };
    let swap = second > 12 || (mark == '/' && order == Order::MonthDay && first <= 12);
    let (day, month) = if swap { (second, first) } else { (first, second) };
    date(year, month, day)
}

fn date(year: i32, month: i32, day: i32) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str, order: Order) -> String {
        let days: Vec<String> = spots(text, order).map(|spot| spot.day.to_string()).collect();
        days.join(" ")
    }

    #[test]
    fn a_day_is_read_as_people_write_it() {
        for text in [
            "2023-12-22",
            "2023/12/22",
            "20231222",
            "2023.12.22",
            "2023. 12. 22.",
            "2023年12月22日",
            "2023/dec/22",
            "22.12.2023",
            "22. 12. 2023",
            "22/12/2023",
            "12/22/2023",
            "22.12.23",
            "December 22, 2023",
            "Dec. 22nd, 2023",
            "Dec 22 2023",
            "22 December 2023",
            "22nd of December, 2023",
            "22-Dec-2023",
            "22-Dec-23",
            "Freitag, 22. Dezember 2023, 10:00 Uhr",
            "le 22 décembre 2023",
            "22 de diciembre de 2023",
            "diciembre 22 de 2023",
            "22 dicembre 2023",
            "22 de Dezembro de 2023",
            "22 december 2023",
            "22 декабря 2023",
            "22 grudnia 2023",
            "22 Aralık 2023",
            "22 December / Dezember 2023",
        ] {
            assert_eq!(days(text, Order::DayMonth), "2023-12-22", "{text}");
        }
    }

    #[test]
    fn the_order_of_day_and_month_is_the_readers() {
        assert_eq!(days("3/4/2023", Order::DayMonth), "2023-04-03");
        assert_eq!(days("3/4/2023", Order::MonthDay), "2023-03-04");
        assert_eq!(days("3.4.2023", Order::MonthDay), "2023-04-03");
    }

    #[test]
    fn what_is_no_day_is_none() {
        for text in [
            "",
            "2023",
            "12:30",
            "31.02.2023",
            "1.2.3",
            "version 1.2.23",
            "192.168.10.2023",
            "22 people 2023",
            "December 2023",
            "call 0049 2023 1234",
            "99/99/9999",
            "a20231222",
            "202312221",
            "1/2/20231",
            "5 May 10:30",
        ] {
            assert_eq!(days(text, Order::DayMonth), "", "{text}");
        }
    }

    #[test]
    fn several_days_are_found_in_order() {
        let text = "Published 1 May 2020, updated 2 May 2020";
        assert_eq!(days(text, Order::DayMonth), "2020-05-01 2020-05-02");
    }
}
