//! This weir was built without object stores.

use super::follower::{Follower, Shared};
use super::{SinkError, TargetError};

pub(super) fn check(_: &str) -> Result<(), TargetError> {
    Err(TargetError::NoObjects)
}

pub(super) fn upload(url: &str, _: &Follower, _: &Shared) -> Result<(), SinkError> {
    Err(SinkError::refused(url, TargetError::NoObjects.to_string()))
}
