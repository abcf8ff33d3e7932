//! What the machine has of what Zero needs, and how it gets the rest.

mod compiler;
mod node;
mod packages;
mod vulkan;

use std::process::Command;

pub use compiler::Compiler;
pub use vulkan::Vulkan;

use crate::failure::Failure;
use crate::process;
use node::Node;
use packages::{Manager, Rights};

/// A thing outside the repository that some command cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Compiler,
    Vulkan,
    Node,
}

impl Need {
    /// What is missing, and what does not work without it.
    fn describe(self) -> &'static str {
        match self {
            Need::Compiler => {
                "a C++ compiler that finds its standard library (the Luau virtual machine is built from C++)"
            }
            Need::Vulkan => "a Vulkan driver and its loader (nothing can be drawn; everything else works)",
            Need::Node => "Node.js 18 or newer with npm (the tests with real MCP clients are written for it)",
        }
    }
}

pub struct Machine {
    pub compiler: Option<Compiler>,
    pub vulkan: Vulkan,
    pub node: Option<Node>,
}

impl Machine {
    pub fn survey() -> Machine {
        Machine { compiler: Compiler::find(), vulkan: Vulkan::find(), node: Node::find() }
    }

    /// Looks for what is needed and installs what is missing where that is possible without
    /// asking anybody; says what to type where it is not. Fails on no need itself: the caller
    /// knows which it can go on without.
    pub fn prepared(needs: &[Need]) -> Machine {
        let machine = Machine::survey();
        let missing = machine.missing(needs);
        if missing.is_empty() {
            return machine;
        }
        for need in &missing {
            eprintln!("missing: {}", need.describe());
        }
        let installable: Vec<Need> = missing.into_iter().filter(|need| machine.is_installable(*need)).collect();
        if installable.is_empty() {
            eprintln!("{}", machine.vulkan.describe());
            return machine;
        }
        let plan = packages::plan(&installable, Manager::find(), Rights::find());
        if !plan.automatic {
            eprintln!("{}", plan.advice());
            return machine;
        }
        for command in &plan.commands {
            // Failures show in the second survey: an unreachable mirror of one package list
            // does not keep the packages of the others from being installed.
            if let Err(failure) = process::run(Command::new(&command[0]).args(&command[1..])) {
                eprintln!("{failure}");
            }
        }
        Machine::survey()
    }

    fn missing(&self, needs: &[Need]) -> Vec<Need> {
        let has = |need: &Need| match need {
            Need::Compiler => self.compiler.is_some(),
            Need::Vulkan => self.vulkan.draws(),
            Need::Node => self.node.is_some(),
        };
        needs.iter().copied().filter(|need| !has(need)).collect()
    }

    fn is_installable(&self, need: Need) -> bool {
        need != Need::Vulkan || !self.vulkan.chosen
    }

    /// Fails with what to type when something is still missing.
    pub fn require(&self, needs: &[Need]) -> Result<(), Failure> {
        let missing = self.missing(needs);
        if missing.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = missing.iter().map(|need| need.describe()).collect();
        let plan = packages::plan(&missing, Manager::find(), Rights::find());
        Err(Failure::new(format!("this machine has no {}", names.join(", nor "))).with_remedy(plan.advice()))
    }

    /// One line per thing found.
    pub fn describe(&self) -> String {
        let compiler = match &self.compiler {
            Some(compiler) => compiler.program.clone(),
            None => "none".to_owned(),
        };
        let node = match &self.node {
            Some(node) => node.version.clone(),
            None => "none".to_owned(),
        };
        format!("C++ compiler: {compiler}\nVulkan: {}\nNode.js: {node}", self.vulkan.describe())
    }
}
