//! Which machine this is, so that two processes can tell whether they share one.

/// Made up by the kernel when it starts. Empty where that cannot be read: then nobody is on the same machine.
pub fn machine() -> Vec<u8> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().as_bytes().to_vec()
}
