use super::scale::{Scale, label};
use super::style::{Stroke, stroke};
use super::svg::Svg;

/// Lines over a common axis, with one or two axes upwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    pub title: String,
    pub x: Axis,
    pub left: Axis,
    pub right: Option<Axis>,
    pub series: Vec<Series>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// With its unit.
    pub label: String,
    pub log: bool,
    /// Begins at 0, whatever it costs.
    pub from_zero: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    pub name: String,
    /// NaN is a gap. What is below all that the axis can show, as 0 on a logarithmic one, is drawn on
    /// its lower edge.
    pub points: Vec<(f64, f64)>,
    /// Belongs to the axis on the right.
    pub right: bool,
    /// Which look it has; series of the same number look the same in all panels.
    pub look: usize,
    pub draw: Draw,
}

/// Things measured are marks, what is calculated is a line, and most series are both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    #[default]
    Both,
    Marks,
    Line,
}

impl Axis {
    pub fn new(label: &str) -> Axis {
        Axis { label: label.to_owned(), ..Axis::default() }
    }

    pub fn from_zero(label: &str) -> Axis {
        Axis { from_zero: true, ..Axis::new(label) }
    }

    pub fn log(label: &str) -> Axis {
        Axis { log: true, ..Axis::new(label) }
    }
}

const LEFT: f64 = 74.0;
const LEGEND: f64 = 215.0;
const RIGHT_AXIS: f64 = 58.0;
const ABOVE: f64 = 26.0;
const BELOW: f64 = 46.0;
const LEGEND_LINE: f64 = 18.0;

/// Where the axes are.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Lines {
    pub fn height(&self) -> f64 {
        let legend = LEGEND_LINE * self.legend().count() as f64;
        ABOVE + BELOW + legend.max(230.0)
    }

    pub fn draw(&self, svg: &mut Svg, top: f64, width: f64, height: f64) {
        let second = if self.right.is_some() { RIGHT_AXIS } else { 0.0 };
        let frame = Frame {
            left: LEFT,
            right: width - LEGEND - second,
            top: top + ABOVE,
            bottom: top + height - BELOW,
        };
        svg.text((frame.left + frame.right) / 2.0, top + 15.0, "m", &self.title);
        let x = self.x_scale().between(frame.left, frame.right);
        let left = self.y_scale(&self.left, false).between(frame.bottom, frame.top);
        let right = self
            .right
            .as_ref()
            .map(|axis| self.y_scale(axis, true).between(frame.bottom, frame.top));
        self.draw_axes(svg, &frame, &x, &left);
        if let (Some(axis), Some(scale)) = (&self.right, &right) {
            draw_right_axis(svg, &frame, axis, scale);
        }
        for series in &self.series {
            let y = if series.right { right.as_ref().unwrap_or(&left) } else { &left };
            series.draw(svg, &x, y, &self.stroke(series));
        }
        self.draw_legend(svg, frame.right + second + 14.0, frame.top + 6.0);
    }

    fn x_scale(&self) -> Scale {
        let values =
            self.series.iter().flat_map(|series| series.points.iter().map(|point| point.0));
        Scale::over(values, self.x.log, true)
    }

    fn y_scale(&self, axis: &Axis, right: bool) -> Scale {
        let series = self.series.iter().filter(|series| series.right == right);
        let values = series.flat_map(|series| series.points.iter().map(|point| point.1));
        Scale::over(values.chain(axis.from_zero.then_some(0.0)), axis.log, false)
    }

    fn draw_axes(&self, svg: &mut Svg, frame: &Frame, x: &Scale, y: &Scale) {
        for &tick in &y.ticks {
            let Some(at) = y.pixel(tick) else { continue };
            svg.line((frame.left, at), (frame.right, at), "g");
            svg.text(frame.left - 7.0, at + 4.0, "e", &label(tick));
        }
        for &tick in &x.ticks {
            let Some(at) = x.pixel(tick) else { continue };
            svg.line((at, frame.bottom), (at, frame.bottom + 5.0), "a");
            svg.text(at, frame.bottom + 18.0, "m", &label(tick));
        }
        svg.line((frame.left, frame.top), (frame.left, frame.bottom), "a");
        svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "a");
        let middle = (frame.left + frame.right) / 2.0;
        svg.text(middle, frame.bottom + 36.0, "m", &self.x.label);
        svg.text_upwards(16.0, (frame.top + frame.bottom) / 2.0, "m", &self.left.label);
    }

    /// With two axes the dashes tell which one a line belongs to, else they tell lines apart.
    fn stroke(&self, series: &Series) -> Stroke {
        let dash = match &self.right {
            Some(_) if series.right => "5 4",
            Some(_) => "none",
            None => stroke(series.look).dash,
        };
        Stroke { dash, ..stroke(series.look) }
    }

    /// A line of the right axis looks like its fellow of the left one, and is not named again.
    fn legend(&self) -> impl Iterator<Item = &Series> {
        let named = |series: &&Series| {
            !series.right
                || !self.series.iter().any(|other| !other.right && other.look == series.look)
        };
        self.series.iter().filter(named)
    }

    fn draw_legend(&self, svg: &mut Svg, left: f64, top: f64) {
        let mut y = top;
        for series in self.legend() {
            let stroke = self.stroke(series);
            if series.draw != Draw::Marks {
                svg.curve(&[(left, y), (left + 30.0, y)], &stroke);
            }
            if series.draw != Draw::Line {
                svg.marks(&[(left + 15.0, y)], &stroke);
            }
            svg.text(left + 37.0, y + 4.0, "", &series.name);
            y += LEGEND_LINE;
        }
        if self.right.is_some() {
            svg.text(left, y + 10.0, "s", "solid: left axis, dashed: right axis");
        }
    }
}

fn draw_right_axis(svg: &mut Svg, frame: &Frame, axis: &Axis, scale: &Scale) {
    svg.line((frame.right, frame.top), (frame.right, frame.bottom), "a");
    for &tick in &scale.ticks {
        let Some(at) = scale.pixel(tick) else { continue };
        svg.line((frame.right, at), (frame.right + 5.0, at), "a");
        svg.text(frame.right + 9.0, at + 4.0, "", &label(tick));
    }
    let middle = (frame.top + frame.bottom) / 2.0;
    svg.text_upwards(frame.right + RIGHT_AXIS - 8.0, middle, "m", &axis.label);
}

impl Series {
    fn draw(&self, svg: &mut Svg, x: &Scale, y: &Scale, stroke: &Stroke) {
        let at = |&(px, py): &(f64, f64)| Some((x.pixel(px)?, y.pixel(py)?));
        let seen: Vec<Option<(f64, f64)>> = self.points.iter().map(at).collect();
        if self.draw != Draw::Marks {
            for run in seen.split(Option::is_none) {
                let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
                svg.curve(&run, stroke);
            }
        }
        if self.draw != Draw::Line {
            let marks: Vec<(f64, f64)> = seen.into_iter().flatten().collect();
            svg.marks(&marks, stroke);
        }
    }
}
