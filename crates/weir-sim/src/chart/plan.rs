mod stack;

use weir_plan::{Allocation, Cap, Piece, Problem};

use super::scale::{Scale, label};
use super::style::colour;
use super::svg::Svg;
use stack::{Stack, Widest};

/// Who gets what rate when: the rates stacked up to the cap, and below them a row for each site with
/// its deadline.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub title: String,
    /// How many of the problem's units make one of those that are shown, and its name.
    pub time_unit: (f64, String),
    pub rate_unit: (f64, String),
    sites: Vec<Row>,
    /// How many sites have no row of their own.
    more: usize,
    pieces: Vec<Piece>,
    cap: Cap,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    due: Option<f64>,
    start: f64,
    end: f64,
}

const ROWS: usize = 16;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 150.0;
const ABOVE: f64 = 26.0;
const STACK: f64 = 170.0;
const ROW: f64 = 18.0;
const AXIS: f64 = 44.0;

impl Plan {
    /// Shows the sites in the order in which they end; beyond a screenful they are taken together.
    pub fn new(title: &str, problem: &Problem, plan: &Allocation, names: &[String]) -> Plan {
        let mut order: Vec<usize> = (0..problem.sites.len()).collect();
        order.sort_by(|&a, &b| plan.end[a].total_cmp(&plan.end[b]).then(a.cmp(&b)));
        let mut row_of = vec![ROWS; order.len()];
        for (row, &site) in order.iter().enumerate().take(ROWS) {
            row_of[site] = row;
        }
        let row = |&site: &usize| Row {
            name: names.get(site).cloned().unwrap_or_else(|| format!("{}", site + 1)),
            due: problem.sites[site].deadline,
            start: plan.start[site],
            end: plan.end[site],
        };
        Plan {
            title: title.to_owned(),
            time_unit: (1.0, "s".to_owned()),
            rate_unit: (1.0, "kb/s".to_owned()),
            sites: order.iter().take(ROWS).map(row).collect(),
            more: order.len().saturating_sub(ROWS),
            pieces: plan.pieces.iter().map(|p| Piece { site: row_of[p.site], ..*p }).collect(),
            cap: problem.cap.clone(),
        }
    }

    pub fn height(&self) -> f64 {
        let rows = self.sites.len() + usize::from(self.more > 0);
        ABOVE + STACK + ROW * rows as f64 + AXIS + 10.0
    }

    pub fn draw(&self, svg: &mut Svg, top: f64, width: f64, _height: f64) {
        let (left, right) = (LEFT, width - RIGHT);
        let last = self.last();
        let time = Scale::over([0.0, last / self.time_unit.0].into_iter(), false, true);
        let time = time.between(left, right);
        let (stack_top, stack_bottom) = (top + ABOVE, top + ABOVE + STACK);
        let highest = self.cap_steps(last).map(|(_, rate)| rate).fold(0.0, f64::max);
        let rate = Scale::over([0.0, highest / self.rate_unit.0].into_iter(), false, false);
        let rate = rate.between(stack_bottom, stack_top);
        svg.text((left + right) / 2.0, top + 15.0, "m", &self.title);
        for &tick in &rate.ticks {
            let at = rate.pixel(tick).unwrap_or(stack_bottom);
            svg.line((left, at), (right, at), "g");
            svg.text(left - 7.0, at + 4.0, "e", &label(tick));
        }
        svg.text_upwards(
            16.0,
            (stack_top + stack_bottom) / 2.0,
            "m",
            &format!("rate ({})", self.rate_unit.1),
        );
        self.draw_stack(svg, &time, &rate, last);
        self.draw_cap(svg, &time, &rate, last);
        svg.line((left, stack_top), (left, stack_bottom), "a");
        svg.line((left, stack_bottom), (right, stack_bottom), "a");
        let mut y = stack_bottom + 6.0;
        for (index, row) in self.sites.iter().enumerate() {
            self.draw_row(svg, &time, index, row, y);
            y += ROW;
        }
        if self.more > 0 {
            svg.text(left - 7.0, y + 13.0, "e", &format!("and {} more", self.more));
            y += ROW;
        }
        self.draw_time(svg, &time, y, right);
    }

    /// The end of the picture: the last byte or the last deadline, unless that is far away.
    fn last(&self) -> f64 {
        let end = self.pieces.iter().map(|piece| piece.to).fold(0.0, f64::max);
        let due = self.sites.iter().filter_map(|row| row.due).filter(|due| due.is_finite());
        let last = due.fold(end, f64::max).min(end * 1.3);
        if last > 0.0 { last } else { 1.0 }
    }

    fn cap_steps(&self, last: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        std::iter::once(0.0)
            .chain(self.cap.changes())
            .filter(move |from| *from < last)
            .map(|from| (from, self.cap.at(from)))
    }

    fn draw_stack(&self, svg: &mut Svg, time: &Scale, rate: &Scale, last: f64) {
        let stack = Stack::of(&self.pieces, self.sites.len() + 1, last);
        let x = |t: f64| time.pixel(t / self.time_unit.0).unwrap_or(0.0);
        let y = |v: f64| rate.pixel(v / self.rate_unit.0).unwrap_or(0.0);
        for area in stack.areas() {
            let points: Vec<(f64, f64)> = area.edge.iter().map(|&(t, v)| (x(t), y(v))).collect();
            let fill = match area.site < self.sites.len() {
                true => format!("class=\"o\" style=\"fill:{}\"", colour(area.site)),
                false => "class=\"o\" style=\"fill:#999\"".to_owned(),
            };
            svg.area(&points, &fill);
        }
        for Widest { site, time: (from, to), rate: (low, high) } in stack.widest() {
            let Some(row) = self.sites.get(site) else { continue };
            let (wide, tall) = (x(to) - x(from), y(low) - y(high));
            if tall >= 13.0 && wide >= 8.0 * row.name.chars().count() as f64 {
                let middle = ((x(from) + x(to)) / 2.0, (y(low) + y(high)) / 2.0 + 4.0);
                svg.text(middle.0, middle.1, "m w", &row.name);
            }
        }
    }

    fn draw_cap(&self, svg: &mut Svg, time: &Scale, rate: &Scale, last: f64) {
        let steps: Vec<(f64, f64)> = self.cap_steps(last).collect();
        for (index, &(from, cap)) in steps.iter().enumerate() {
            let to = steps.get(index + 1).map_or(last, |next| next.0);
            let at = |t: f64| time.pixel(t / self.time_unit.0).unwrap_or(0.0);
            let y = rate.pixel(cap / self.rate_unit.0).unwrap_or(0.0);
            svg.line((at(from), y), (at(to), y), "l");
        }
    }

    fn draw_row(&self, svg: &mut Svg, time: &Scale, index: usize, row: &Row, top: f64) {
        let unit = self.time_unit.0;
        let x = |t: f64| time.pixel(t / unit);
        svg.text(LEFT - 7.0, top + 13.0, "e", &cut(&row.name));
        if let (Some(from), Some(to)) = (x(row.start), x(row.end)) {
            let fill = format!("rx=\"2\" style=\"fill:{};opacity:.75\"", colour(index));
            svg.rect(from, top + 4.0, (to - from).max(1.0), ROW - 8.0, &fill);
        }
        let shown = |t: f64| label((t / unit * 10.0).round() / 10.0);
        let beyond = |due: f64| row.end > due + due.abs() * 1e-9;
        let verdict = match row.due {
            _ if row.end.is_infinite() => "never done".to_owned(),
            None => "no deadline".to_owned(),
            Some(due) if beyond(due) => {
                format!("late by {} {}", shown(row.end - due), self.time_unit.1)
            }
            Some(due) => format!("due {}: met", shown(due)),
        };
        if let Some(at) = row.due.filter(|due| *due <= self.last() * (1.0 + 1e-9)).and_then(x) {
            svg.line((at, top + 1.0), (at, top + ROW - 1.0), "d");
        }
        svg.text(super::WIDTH - RIGHT + 10.0, top + 13.0, "", &verdict);
    }

    fn draw_time(&self, svg: &mut Svg, time: &Scale, top: f64, right: f64) {
        svg.line((LEFT, top + 2.0), (right, top + 2.0), "a");
        for &tick in &time.ticks {
            let Some(at) = time.pixel(tick) else { continue };
            svg.line((at, top + 2.0), (at, top + 7.0), "a");
            svg.text(at, top + 20.0, "m", &label(tick));
        }
        let words =
            format!("time ({}); | is a deadline, the dashed line is the cap", self.time_unit.1);
        svg.text((LEFT + right) / 2.0, top + 37.0, "m", &words);
    }
}

/// A name that fits beside its row.
fn cut(name: &str) -> String {
    match name.chars().count() {
        0..=14 => name.to_owned(),
        _ => name.chars().take(13).chain(['…']).collect(),
    }
}
