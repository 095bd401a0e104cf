//! The attributes of pages, by collection and by half.
//!
//! Pages of both halves (`even` and `odd`) were looked at when rules were made, so neither is unseen; the
//! halves tell a rule that helps in general from one that fits a few pages.

use crate::bars::{Metric, ROWS, Row};
use crate::corpus::{Corpora, Page};
use crate::field_score::{Mark, total};
use crate::table::Column;

pub fn print(corpora: &Corpora, own: &Column, worst: usize) {
    println!("{:<19}{:>7}{:>9}{:>9}{:>9}{:>9}", "", "pages", "all", "even", "odd", "by page");
    for row in ROWS {
        let (Metric::Field(judge), Some(pages)) = (row.metric, corpora.get(row.set)) else {
            continue;
        };
        let read = pages.iter().zip(own.readings(row.set));
        let marks: Vec<Option<Mark>> = read.map(|(page, found)| judge(page, found)).collect();
        print_row(&row, &marks);
        print_worst(pages, &marks, worst);
    }
}

fn print_row(row: &Row, marks: &[Option<Mark>]) {
    let half = |rest: usize| total(marks.iter().skip(rest).step_by(2).flatten());
    let count = marks.iter().flatten().count();
    let by_page = marks.iter().flatten().map(Mark::f1).sum::<f64>() / count.max(1) as f64;
    println!(
        "{:<7}{:<12}{count:>7}{:>9.3}{:>9.3}{:>9.3}{by_page:>9.3}",
        row.name,
        row.set,
        total(marks.iter().flatten()),
        half(0),
        half(1)
    );
}

fn print_worst(pages: &[Page], marks: &[Option<Mark>], worst: usize) {
    let wrong = marks.iter().enumerate().filter_map(|(at, mark)| Some((at, mark.as_ref()?)));
    let mut wrong: Vec<(usize, &Mark)> = wrong.filter(|(_, mark)| mark.f1() < 1.0).collect();
    wrong.sort_by(|one, other| one.1.f1().total_cmp(&other.1.f1()));
    for (at, mark) in wrong.into_iter().take(worst) {
        let half = if at % 2 == 0 { "even" } else { "odd" };
        let (page, (wanted, found)) = (&pages[at], &mark.told);
        println!("  {:.2} {half:<5}{} {}", mark.f1(), page.id, page.url);
        println!("      wanted {wanted}\n      found  {found}");
    }
}
