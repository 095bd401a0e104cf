pub mod allocate;
pub mod crawl;
pub mod demo;
pub mod init;
pub mod inspect;
pub mod later;
pub mod status;
pub mod why;
