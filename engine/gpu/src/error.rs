use zero_base::{Diagnostic, Fault};

/// Why the device could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GpuError {
    #[error(
        "no graphics adapter was found ({reason}); a machine without a graphics card draws in software after \
         `apt-get install mesa-vulkan-drivers`"
    )]
    NoAdapter { reason: String },
    #[error("the graphics adapter '{adapter}' gave no device: {reason}")]
    NoDevice { adapter: String, reason: String },
    #[error("the shader '{label}' does not compile: {}", first(diagnostics))]
    Shader { label: String, diagnostics: Vec<Diagnostic> },
    #[error("the device refused {what}: {reason}")]
    Refused { what: String, reason: String },
    #[error("{what} could not be read back: {reason}")]
    Readback { what: String, reason: String },
    #[error(
        "{what} took more than {secs} s to draw; a shader that loops without end does so, or too much work for one picture"
    )]
    TimedOut { what: String, secs: u64 },
    #[error("the picture could not be {action} as PNG: {reason}")]
    Png { action: &'static str, reason: String },
}

impl GpuError {
    pub fn code(&self) -> &'static str {
        match self {
            GpuError::NoAdapter { .. } => "gpu/no_adapter",
            GpuError::NoDevice { .. } => "gpu/no_device",
            GpuError::Shader { .. } => "gpu/shader",
            GpuError::Refused { .. } => "gpu/refused",
            GpuError::Readback { .. } => "gpu/readback",
            GpuError::TimedOut { .. } => "gpu/timeout",
            GpuError::Png { .. } => "gpu/png",
        }
    }
}

impl From<GpuError> for Fault {
    fn from(error: GpuError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match error {
            GpuError::Shader { diagnostics, .. } => fault.with_diagnostics(diagnostics),
            _ => fault,
        }
    }
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(Diagnostic::to_string).unwrap_or_default()
}
