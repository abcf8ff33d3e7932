use std::borrow::Cow;

use crate::{GpuError, ShaderText};

/// Set to anything, it makes [`Gpu::open`] choose a software adapter even where a card exists:
/// for pictures that must match those of a machine without one.
pub const SOFTWARE_VARIABLE: &str = "ZERO_SOFTWARE_GPU";

/// One open device. Cloning shares it.
///
/// It is opened with `wgpu::Limits::default()` and no optional features, so that what works here
/// works on every driver.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
}

impl Gpu {
    /// Opens the best adapter of the machine, without a window.
    pub fn open() -> Result<Gpu, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            force_fallback_adapter: std::env::var_os(SOFTWARE_VARIABLE).is_some(),
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .map_err(|error| GpuError::NoAdapter { reason: error.to_string() })?;
        let info = adapter.get_info();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("zero"),
            required_limits: wgpu::Limits::default(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| GpuError::NoDevice { adapter: info.name.clone(), reason: error.to_string() })?;
        tracing::debug!(adapter = %info.name, driver = %info.driver_info, "device opened");
        Ok(Gpu { device, queue, info })
    }

    pub fn adapter_name(&self) -> &str {
        &self.info.name
    }

    /// The driver and its version, as it names itself: pictures are byte-equal per driver.
    pub fn driver(&self) -> String {
        format!("{} {}", self.info.driver, self.info.driver_info).trim().to_owned()
    }

    pub fn is_software(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }

    /// Runs `work` and answers with what it made, or with the device's first complaint about it.
    /// Everything that creates device objects from content goes through here: a complaint outside
    /// of it is an engine bug and panics.
    pub fn checked<T>(&self, what: &str, work: impl FnOnce(&wgpu::Device) -> T) -> Result<T, GpuError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let made = work(&self.device);
        let complaints = [validation.pop(), internal.pop()].map(pollster::block_on);
        let memory = pollster::block_on(memory.pop());
        match complaints.into_iter().chain([memory]).flatten().next() {
            None => Ok(made),
            Some(error) => Err(GpuError::Refused { what: what.to_owned(), reason: innermost(&error) }),
        }
    }

    /// Checks `shader` and makes a module of it. Errors carry the author's file, line and column.
    pub fn shader_module(&self, label: &str, shader: &ShaderText) -> Result<wgpu::ShaderModule, GpuError> {
        shader.check().map_err(|diagnostics| GpuError::Shader { label: label.to_owned(), diagnostics })?;
        self.checked(&format!("the shader '{label}'"), |device| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(Cow::Borrowed(shader.text())),
            })
        })
    }
}

/// The chain of causes in one line: the top message alone only says which call failed.
fn innermost(error: &wgpu::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        let text = error.to_string();
        // The outermost text repeats the whole chain over several lines.
        if error.source().is_none() || !text.contains('\n') {
            texts.push(text.trim().to_owned());
        }
        cause = error.source();
    }
    texts.dedup();
    texts.join(": ")
}
