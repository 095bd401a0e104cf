//! What is asked for at the helm: looked at with the planner, and done.

use jiff::Timestamp;
use weir_fetch::{Part, Tier};
use weir_types::{Bandwidth, Rate};

use super::logging::log_action;
use super::{Crawl, CrawlError, SEEDS};
use crate::due::Due;
use crate::helm::{Action, Effect, Refusal, effect, prospect};
use crate::plan::{Plan, Planned, Spent};
use crate::settings::SiteSettings;
use crate::tasks::TaskId;

/// What a task was before an action.
struct Before {
    id: TaskId,
    is_paused: bool,
    due: Option<Timestamp>,
    weight: f64,
}

impl Crawl {
    /// Takes what was asked for since the last time.
    pub(super) fn heed_helm(&mut self) -> Result<(), CrawlError> {
        let Some(helm) = self.config.helm.clone() else { return Ok(()) };
        while let Some(request) = helm.next() {
            let answer = match &request.action {
                Action::Add { site } => self.add_site(site, request.is_preview)?,
                action => self.act(action, request.is_preview),
            };
            request.answer(answer);
        }
        Ok(())
    }

    fn act(&mut self, action: &Action, is_preview: bool) -> Result<Effect, Refusal> {
        let now = Timestamp::now();
        self.check(action)?;
        let before = self.foresee(None, now);
        let was = self.put(action, now)?;
        let rate = match action {
            Action::Limit { rate } => Some(*rate),
            _ => None,
        };
        let after = self.foresee(rate, now);
        if is_preview {
            self.put_back(was);
        } else {
            self.keep_action(action, now);
        }
        let zone = &self.config.almanac.zone;
        Ok(effect(&self.words(action, now), &before, &after, now, zone))
    }

    fn check(&self, action: &Action) -> Result<(), Refusal> {
        match action {
            Action::Weight { weight, .. } => {
                let checked = self.config.check_weight(*weight);
                checked.map_err(|why| Refusal::Wrong(why.to_string()))
            }
            Action::Limit { rate: Rate::Paused } => Err(Refusal::Wrong(
                "limit = 0: nothing would ever come; pause the sites, or stop the crawl".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The plan as things are, or with another limit.
    fn foresee(&self, rate: Option<Rate>, now: Timestamp) -> Plan {
        let mut ask = self.ask(now, Spent::default());
        if let Some(rate) = rate {
            ask.cap = self.allowance.cap_of(rate);
            ask.limit = Some(rate.bytes()).filter(|limit| limit.is_finite());
        }
        Planned::make(&ask).plan
    }

    /// Changes the site in question, and nothing else yet.
    fn put(&mut self, action: &Action, now: Timestamp) -> Result<Option<Before>, Refusal> {
        let Some(name) = site_named(action) else { return Ok(None) };
        let id = self.dispatch.tasks.named(name).ok_or_else(|| Refusal::NoSite(name.to_owned()))?;
        let zone = self.config.almanac.zone.clone();
        let task = &mut self.dispatch.tasks.all[id.0 as usize];
        let was =
            Before { id, is_paused: task.is_paused, due: task.due, weight: task.settings.weight };
        match action {
            Action::Pause { .. } => task.is_paused = true,
            Action::Resume { .. } => task.is_paused = false,
            Action::Deadline { due, .. } => task.due = due.map(|due| due.moment(now, &zone)),
            Action::Weight { weight, .. } => task.settings.weight = *weight,
            Action::Limit { .. } | Action::Add { .. } => {}
        }
        Ok(Some(was))
    }

    fn put_back(&mut self, was: Option<Before>) {
        let Some(Before { id, is_paused, due, weight }) = was else { return };
        let task = &mut self.dispatch.tasks.all[id.0 as usize];
        (task.is_paused, task.due, task.settings.weight) = (is_paused, due, weight);
    }

    /// It was put into force; now what it means for others, and for who starts this crawl again.
    fn keep_action(&mut self, action: &Action, now: Timestamp) {
        log_action(action);
        match action {
            Action::Pause { site } => self.course.pause(site, true),
            Action::Resume { site } => self.course.pause(site, false),
            Action::Weight { site, weight } => {
                self.course.set_weight(site, *weight, &self.written);
                self.weigh(site);
            }
            Action::Deadline { site, due } => {
                self.course.set_due(site, *due, &self.written);
                self.promise(site, *due, now);
            }
            Action::Limit { rate } => {
                self.course.set_limit(*rate, &self.written);
                self.allowance.set_limit(*rate);
            }
            Action::Add { .. } => {}
        }
        self.note_course();
        self.steer.hurry();
    }

    /// Where nothing is planned, shares go by weights alone.
    fn weigh(&self, site: &str) {
        let Some(id) = self.dispatch.tasks.named(site) else { return };
        let task = &self.dispatch.tasks.all[id.0 as usize];
        if let (Some(shaper), Some(share)) = (&self.config.fetch.shaper, task.share) {
            let part =
                Part { weight: task.settings.weight, cap: task.own_limit(), tier: Tier::default() };
            shaper.set_shares([(share, part)].into_iter());
        }
    }

    fn promise(&mut self, site: &str, due: Option<Due>, now: Timestamp) {
        let zone = self.config.almanac.zone.clone();
        if let Some(id) = self.dispatch.tasks.promise(site, due, now, &zone) {
            self.dangers.forget(id);
            // What was said of the old one is past.
            let begin = format!("{site}: ");
            self.warnings.retain(|warning| !warning.starts_with(&begin));
        }
        self.note_promises();
    }

    /// Who starts a crawl again may have forgotten that some of it is paused.
    pub(super) fn tell_pauses(&mut self) {
        let names: Vec<String> = self.course.paused().collect();
        if !names.is_empty() {
            let names = names.join(", ");
            self.dispatch.trouble(format!(
                "paused, as it was left: {names}; the dashboard (--dashboard) lets it go on"
            ));
        }
    }

    pub(super) fn note_course(&mut self) {
        let course =
            serde_json::to_vec(&self.course).expect("texts, times and numbers always serialize");
        self.dispatch.frontier.set_note(super::COURSE, &course);
    }

    /// One more site. Nothing is known of it yet, so the plan with it comes with its first pages.
    fn add_site(
        &mut self,
        settings: &SiteSettings,
        is_preview: bool,
    ) -> Result<Result<Effect, Refusal>, CrawlError> {
        let (url, site) = match self.config.one_more(settings) {
            Ok(added) => added,
            Err(why) => return Ok(Err(Refusal::Wrong(why.to_string()))),
        };
        let known = self.dispatch.tasks.named(&site.name);
        if known.is_some_and(|id| self.dispatch.tasks.all[id.0 as usize].asked) {
            let why = format!(
                "{} is part of this crawl already; change its deadline or its weight instead",
                site.name
            );
            return Ok(Err(Refusal::Wrong(why)));
        }
        let now = prospect(&self.foresee(None, Timestamp::now()));
        if !is_preview {
            log_action(&Action::Add { site: Box::new(settings.clone()) });
            self.course.add(&site.name, &site.settings);
            self.config.sites.retain(|other| other.name != site.name);
            self.config.sites.push(site.clone());
            self.dispatch.adopt(&site, &url)?;
            self.note_seed(url.as_str());
            self.note_course();
            self.note_promises();
            self.plan = None;
            self.plans_anew = true;
            self.steer.hurry();
        }
        let text = format!(
            "{} is crawled from {url} on. How much it has is not known yet: the plan follows when its first pages have come.",
            site.name
        );
        Ok(Ok(Effect { text, before: now.clone(), after: now, sites: Vec::new() }))
    }

    fn note_seed(&mut self, url: &str) {
        let kept = self.dispatch.frontier.note(SEEDS).unwrap_or_default().to_owned();
        let mut lines = String::from_utf8_lossy(&kept).into_owned();
        if !lines.lines().any(|line| line == url) {
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines.push_str(url);
            self.dispatch.frontier.set_note(SEEDS, lines.as_bytes());
        }
    }

    fn words(&self, action: &Action, now: Timestamp) -> String {
        let zone = &self.config.almanac.zone;
        let clock = |due: &Due| {
            due.moment(now, zone).to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
        };
        match action {
            Action::Pause { site } => match self.due_of(site) {
                Some(_) => format!(
                    "{site} is paused: nothing new is asked of it, and its deadline will be missed unless it goes on in time"
                ),
                None => format!("{site} is paused: nothing new is asked of it"),
            },
            Action::Resume { site } => format!("{site} goes on"),
            Action::Deadline { site, due: Some(due) } => {
                format!("{site} is to be done by {}", clock(due))
            }
            Action::Deadline { site, due: None } => format!("{site} has no deadline any more"),
            Action::Weight { site, weight } => format!("{site} has the weight {weight}"),
            Action::Limit { rate: Rate::Capped(Bandwidth(bytes)) } => {
                format!("The limit is {}", Bandwidth(*bytes))
            }
            Action::Limit { .. } => "There is no limit".to_owned(),
            Action::Add { site } => format!("{:?} is added", site.name),
        }
    }

    fn due_of(&self, site: &str) -> Option<Timestamp> {
        let id = self.dispatch.tasks.named(site)?;
        self.dispatch.tasks.all[id.0 as usize].due
    }
}

fn site_named(action: &Action) -> Option<&str> {
    match action {
        Action::Pause { site }
        | Action::Resume { site }
        | Action::Deadline { site, .. }
        | Action::Weight { site, .. } => Some(site),
        Action::Limit { .. } | Action::Add { .. } => None,
    }
}
