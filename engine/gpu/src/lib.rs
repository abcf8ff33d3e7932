//! The device: opening it without a window, turning shader text into checked modules, reading
//! textures back, and pictures as PNG.
//!
//! Never knows what an asset, a material or a scene is: includes come through [`Includes`], and
//! everything it refuses names the author's file, line and column. Start reading at [`Gpu`], then
//! [`Preprocessor`].

mod device;
mod error;
mod image;
mod readback;
mod shader;

pub use device::{Gpu, SOFTWARE_VARIABLE};
pub use error::GpuError;
pub use image::{Image, Luma};
pub use shader::{Defines, Includes, NoIncludes, Preprocessor, ShaderText, SourceFile};

/// The device interface itself, so that crates above share one version of it.
pub use wgpu;
