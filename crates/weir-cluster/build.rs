//! Makes code of the protocol, without protoc.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto/cluster.proto");
    let described = protox::compile(["cluster.proto"], ["proto"])?;
    tonic_prost_build::configure().bytes(".").compile_fds(described)?;
    Ok(())
}
