//! The built-in library as the program carries it: `builtin/`, `luau-api/` and `toolboxes/`
//! laid into one tree.
//!
//! Never reads the disk and never knows what the files mean.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Where the parts lie in a checkout: place in the library → folder.
pub const PARTS: [(&str, &str); 3] = [("", "builtin"), ("modules/api", "luau-api"), ("toolboxes", "toolboxes")];

#[cfg(test)]
mod tests {
    #[test]
    fn files_are_sorted_and_unique() {
        assert!(super::FILES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(super::FILES.iter().any(|(name, _)| *name == "modules/api/entity.module/init.luau"));
    }
}
