//! What is in the files goes on to sinks and object stores, in the background; how is left to the
//! same code that does so for a crawl on one machine.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use weir_crawl::{Config, Delivery, SinkReport, Stop};
use weir_store::{SinkError, StoreError};

use super::identity::Identity;
use super::shelf::Kept;
use super::{Doing, Downloader};
use crate::{ClusterError, PULSE};

pub struct Handover {
    delivery: Delivery,
    is_tried: bool,
}

/// While there is nothing to do but to wait for sinks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Handover {
    /// `None` if there is nobody to hand anything to. An earlier process may have left something.
    pub fn start(
        config: &Config,
        identity: &Identity,
        kept: &Kept,
    ) -> Result<Option<Handover>, ClusterError> {
        let Some(feeder) = identity.feeder() else { return Ok(None) };
        let delivery = Delivery::start(config, &feeder)?;
        if delivery.is_empty() {
            return Ok(None);
        }
        let mut handover = Handover { delivery, is_tried: false };
        handover.kept(kept)?;
        Ok(Some(handover))
    }

    /// A sink that can never work is refused before anything is fetched.
    pub fn is_tried(&self) -> bool {
        self.is_tried
    }

    fn try_sinks(&mut self) -> Result<(), SinkError> {
        if !self.is_tried {
            self.is_tried = self.delivery.is_tried()?;
        }
        Ok(())
    }

    /// The spool says so when its journal is durable, so that no crash takes back what a sink has.
    pub fn kept(&mut self, kept: &Kept) -> Result<(), StoreError> {
        match kept.mark.is_empty() {
            true => Ok(()),
            false => self.delivery.committed(&kept.mark),
        }
    }

    pub fn closed(&mut self, kept: &Kept) -> Result<(), StoreError> {
        self.delivery.closed(&kept.mark)
    }

    pub fn troubles(&self) -> Vec<String> {
        self.delivery.troubles()
    }

    pub fn reports(&self, kept: &Kept) -> Vec<SinkReport> {
        self.delivery.reports(kept.totals)
    }
}

impl Downloader {
    pub(super) fn try_sinks(&mut self) -> Result<(), ClusterError> {
        Ok(self.handover.as_mut().map_or(Ok(()), Handover::try_sinks)?)
    }

    /// The files are closed: waits until sinks have them, or it is not worth it, or nobody wants to.
    pub(super) async fn hand_over_rest(
        &mut self,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Doing),
    ) {
        let mut looks = 0;
        while self.handover.as_ref().is_some_and(|it| it.delivery.is_awaited())
            && *stop.borrow() != Stop::Now
        {
            if looks % (PULSE.as_millis() / LOOK_EVERY.as_millis()) == 0 {
                self.show(watch);
            }
            looks += 1;
            sleep(LOOK_EVERY).await;
        }
    }
}
