use std::fs;
use std::process::Command;

use super::Need;
use crate::process;

/// A distribution's package manager and what it calls the things needed.
#[derive(Debug, PartialEq, Eq)]
pub struct Manager {
    program: &'static str,
    /// Brings the package lists up to date.
    refresh: &'static [&'static str],
    install: &'static [&'static str],
    compiler: &'static [&'static str],
    vulkan: &'static [&'static str],
    node: &'static [&'static str],
    /// Whether it is called without asking; the others are only named.
    automatic: bool,
}

const APT: Manager = Manager {
    program: "apt-get",
    refresh: &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "update"],
    install: &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes", "--no-install-recommends"],
    compiler: &["g++"],
    vulkan: &["mesa-vulkan-drivers", "libvulkan1"],
    node: &["nodejs", "npm"],
    automatic: true,
};

const MANAGERS: &[Manager] = &[
    APT,
    Manager {
        program: "dnf",
        refresh: &[],
        install: &["dnf", "install"],
        compiler: &["gcc-c++"],
        vulkan: &["mesa-vulkan-drivers", "vulkan-loader"],
        node: &["nodejs", "npm"],
        automatic: false,
    },
    Manager {
        program: "pacman",
        refresh: &[],
        install: &["pacman", "-S", "--needed"],
        compiler: &["gcc"],
        vulkan: &["vulkan-swrast", "vulkan-icd-loader"],
        node: &["nodejs", "npm"],
        automatic: false,
    },
];

impl Manager {
    pub fn find() -> Option<&'static Manager> {
        let on_path = |manager: &&Manager| process::succeeds(Command::new(manager.program).arg("--version"));
        // A Fedora may carry apt-get without meaning it: the distribution's own word counts.
        let debian = debian_like(&fs::read_to_string("/etc/os-release").unwrap_or_default());
        MANAGERS.iter().filter(|manager| manager.program != APT.program || debian).find(on_path)
    }

    fn packages(&self, need: Need) -> &'static [&'static str] {
        match need {
            Need::Compiler => self.compiler,
            Need::Vulkan => self.vulkan,
            Need::Node => self.node,
        }
    }
}

fn debian_like(os_release: &str) -> bool {
    let fields = os_release.lines().filter_map(|line| line.split_once('='));
    let names = fields.filter(|(key, _)| *key == "ID" || *key == "ID_LIKE").map(|(_, value)| value.trim_matches('"'));
    names.flat_map(str::split_whitespace).any(|name| name == "debian" || name == "ubuntu")
}

/// What this process may do to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    Root,
    /// `sudo` asks for no password.
    Sudo,
    None,
}

impl Rights {
    pub fn find() -> Rights {
        let id = process::output(Command::new("id").arg("-u")).unwrap_or_default();
        if id.trim() == "0" {
            Rights::Root
        } else if process::succeeds(Command::new("sudo").args(["-n", "true"])) {
            Rights::Sudo
        } else {
            Rights::None
        }
    }
}

/// How to get what is missing.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    pub commands: Vec<Vec<String>>,
    /// Whether the commands can be run without asking anybody.
    pub automatic: bool,
}

impl Plan {
    /// What a person should do.
    pub fn advice(&self) -> String {
        if self.commands.is_empty() {
            return "install it with this system's package manager, then call this command again".to_owned();
        }
        let lines: Vec<String> = self.commands.iter().map(|words| format!("  {}", words.join(" "))).collect();
        format!("to get it:\n{}", lines.join("\n"))
    }
}

pub fn plan(missing: &[Need], manager: Option<&Manager>, rights: Rights) -> Plan {
    let Some(manager) = manager else { return Plan { commands: Vec::new(), automatic: false } };
    let prefix: &[&str] = match rights {
        Rights::Root => &[],
        Rights::Sudo => &["sudo", "-n"],
        Rights::None => &["sudo"],
    };
    let command = |words: &[&str]| prefix.iter().chain(words).map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let refresh = (!manager.refresh.is_empty()).then(|| command(manager.refresh));
    // One by one: a package that cannot be had does not keep the others away.
    let installs = missing.iter().map(|need| command(&[manager.install, manager.packages(*need)].concat()));
    let commands = refresh.into_iter().chain(installs).collect();
    Plan { commands, automatic: manager.automatic && rights != Rights::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debian_installs_by_itself_where_it_may() {
        let root = plan(&[Need::Vulkan, Need::Compiler], Some(&APT), Rights::Root);
        assert!(root.automatic);
        let install = root.commands[1].join(" ");
        assert!(install.ends_with("--no-install-recommends mesa-vulkan-drivers libvulkan1"), "{install}");
        assert_eq!(root.commands[2].last().map(String::as_str), Some("g++"));
        let sudo = plan(&[Need::Node], Some(&APT), Rights::Sudo);
        assert_eq!(sudo.commands[1][..2], ["sudo", "-n"]);
        let user = plan(&[Need::Node], Some(&APT), Rights::None);
        assert!(!user.automatic);
        assert!(user.advice().contains("sudo env DEBIAN_FRONTEND=noninteractive apt-get install"), "{}", user.advice());
    }

    #[test]
    fn other_systems_are_told_what_to_type() {
        let dnf = MANAGERS.iter().find(|manager| manager.program == "dnf");
        let told = plan(&[Need::Compiler], dnf, Rights::Root);
        assert_eq!((told.automatic, told.advice().as_str()), (false, "to get it:\n  dnf install gcc-c++"));
        let unknown = plan(&[Need::Compiler], None, Rights::Root);
        assert!(!unknown.automatic && unknown.advice().contains("package manager"));
    }

    #[test]
    fn the_distribution_says_what_it_is() {
        assert!(debian_like("NAME=x\nID=debian\n"));
        assert!(debian_like("ID=pop\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!debian_like("ID=fedora\nHOME_URL=\"https://debian.org\"\n"));
    }
}
