use zero_base::{Diagnostic, Fault};
use zero_gpu::GpuError;

/// Why no picture could be made. What is wrong with content is a [`Diagnostic`] beside the
/// picture instead.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RenderError {
    #[error(transparent)]
    Gpu(#[from] GpuError),
    #[error("a picture of {width} × {height} pixels cannot be drawn: both sides must be 1 to {most}")]
    Size { width: u32, height: u32, most: u32 },
    #[error("the built-in library lacks a part of the renderer, '{identity}': {reason}")]
    Builtin { identity: String, reason: String, diagnostics: Vec<Diagnostic> },
}

impl RenderError {
    pub fn code(&self) -> &'static str {
        match self {
            RenderError::Gpu(error) => error.code(),
            RenderError::Size { .. } => "render/size",
            RenderError::Builtin { .. } => "render/builtin",
        }
    }
}

impl From<RenderError> for Fault {
    fn from(error: RenderError) -> Fault {
        let fault = Fault::new(error.code(), error.to_string());
        match error {
            RenderError::Gpu(error) => error.into(),
            RenderError::Builtin { diagnostics, .. } => fault.with_diagnostics(diagnostics),
            RenderError::Size { .. } => fault,
        }
    }
}
