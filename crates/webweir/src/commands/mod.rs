pub mod crawl;
pub mod demo;
pub mod init;
pub mod later;
pub mod status;
pub mod why;
