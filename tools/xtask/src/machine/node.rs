use std::process::Command;

use crate::process;

/// The oldest major version the MCP clients run on.
const OLDEST: u32 = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// As Node prints it: `v20.20.2`.
    pub version: String,
}

impl Node {
    pub fn find() -> Option<Node> {
        let version = process::output(Command::new("node").arg("--version")).ok()?.trim().to_owned();
        let recent = major(&version)? >= OLDEST;
        (recent && process::succeeds(Command::new("npm").arg("--version"))).then_some(Node { version })
    }
}

fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_major_version_is_read() {
        assert_eq!(super::major("v20.20.2"), Some(20));
        assert_eq!(super::major("20"), None);
        assert_eq!(super::major("vNext"), None);
    }
}
