//! Months by name, in the languages of many pages.

/// Full names, as they stand in a date (in the genitive where a language has one), January first.
/// An abbreviation is the beginning of a name. Where two languages have the same word for two
/// months, the one with more pages has it.
#[rustfmt::skip]
const NAMES: &[[&str; 12]] = &[
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"],
    ["januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"],
    ["jänner", "feber", "maerz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "desember"],
    ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"],
    ["janvier", "fevrier", "mars", "avril", "mai", "juin", "juillet", "aout", "septembre", "octobre", "novembre", "decembre"],
    ["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"],
    ["gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"],
    ["janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"],
    ["januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"],
    ["января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"],
    ["январь", "февраль", "март", "апрель", "май", "июнь", "июль", "август", "сентябрь", "октябрь", "ноябрь", "декабрь"],
    ["stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września", "października", "listopada", "grudnia"],
    ["ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım", "aralık"],
    ["січня", "лютого", "березня", "квітня", "травня", "червня", "липня", "серпня", "вересня", "жовтня", "листопада", "грудня"],
    ["януари", "февруари", "март", "април", "май", "юни", "юли", "август", "септември", "октомври", "ноември", "декември"],
    ["januar", "februar", "marts", "april", "maj", "juni", "juli", "august", "september", "oktober", "november", "december"],
    ["januari", "februari", "maret", "april", "mei", "juni", "juli", "agustus", "september", "oktober", "november", "desember"],
    ["ianuarie", "februarie", "martie", "aprilie", "mai", "iunie", "iulie", "august", "septembrie", "octombrie", "noiembrie", "decembrie"],
    ["ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu", "prosince"],
    ["január", "február", "március", "április", "május", "június", "július", "augusztus", "szeptember", "október", "november", "december"],
    ["tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta", "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta"],
    ["ιανουαρίου", "φεβρουαρίου", "μαρτίου", "απριλίου", "μαΐου", "ιουνίου", "ιουλίου", "αυγούστου", "σεπτεμβρίου", "οκτωβρίου", "νοεμβρίου", "δεκεμβρίου"],
    ["يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"],
    ["", "شباط", "آذار", "نيسان", "أيار", "حزيران", "تموز", "", "أيلول", "", "", ""],
    ["gener", "febrer", "març", "abril", "maig", "juny", "juliol", "agost", "setembre", "octubre", "novembre", "desembre"],
];

/// A month is at least this many letters.
const SHORTEST: usize = 3;
const LONGEST: usize = 12;

/// 1 to 12 for the name of a month or the beginning of one, in any case.
pub fn month(word: &str) -> Option<i8> {
    let letters = word.chars().count();
    if !(SHORTEST..=LONGEST).contains(&letters) {
        return None;
    }
    let word = word.to_lowercase();
    exact(&word, |name, word| name == word)
        .or_else(|| exact(&word, |name, word| name.starts_with(word)))
}

fn exact(word: &str, same: impl Fn(&str, &str) -> bool) -> Option<i8> {
    let of = |names: &[&str; 12]| names.iter().position(|name| same(name, word));
    NAMES.iter().find_map(of).map(|at| at as i8 + 1)
}

#[cfg(test)]
mod tests {
    use super::month;

    #[test]
    fn months_are_known_by_name_and_by_abbreviation() {
        for (word, expected) in [
            ("January", Some(1)),
            ("Sept", Some(9)),
            ("MÄRZ", Some(3)),
            ("déc", Some(12)),
            ("diciembre", Some(12)),
            ("mag", Some(5)),
            ("outubro", Some(10)),
            ("mei", Some(5)),
            ("мая", Some(5)),
            ("нояб", Some(11)),
            ("września", Some(9)),
            ("Ağustos", Some(8)),
            ("ma", None),
            ("marching", None),
            ("Monday", None),
            ("", None),
        ] {
            assert_eq!(month(word), expected, "{word}");
        }
    }
}
