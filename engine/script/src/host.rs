use zero_base::Fault;

/// A script as the machine is given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub text: String,
    /// What traces and messages call it: `@local.source.demo.beats`.
    pub name: String,
}

/// Where scripts come from: what the machine knows of the world around it.
///
/// Paths are places in the virtual file system, as text.
pub trait Host {
    /// The file that `require(name)` means in the file `from`.
    fn resolve(&self, from: &str, name: &str) -> Result<String, Fault>;

    fn source(&self, path: &str) -> Result<Source, Fault>;

    /// A line a script printed.
    fn print(&self, level: PrintLevel, text: &str, path: Option<&str>);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintLevel {
    Info,
    Warn,
}
