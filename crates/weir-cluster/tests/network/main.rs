//! A purse among downloaders whose clocks differ, over a network that delays, loses and overtakes.

mod downloader;
mod fairness;
mod net;
mod storm;
