use std::sync::Arc;

use zero_base::{Diagnostic, Fault, Hash};
use zero_gpu::{Defines, Gpu, GpuError, Includes, Preprocessor, ShaderText, SourceFile, wgpu};

use super::pipelines::{DEPTH_FORMAT, Drawing, LIGHT_FORMAT, Layouts, PICTURE_FORMAT, SAMPLES, render_pipeline};
use super::{Found, Store};
use crate::{RenderAssets, RenderError, builtin};

/// The pipelines that are not a material's.
#[derive(Debug, Clone)]
pub(crate) struct Stages {
    pub(crate) shadow: Arc<wgpu::RenderPipeline>,
    pub(crate) sky: Arc<wgpu::RenderPipeline>,
    pub(crate) picture: Arc<wgpu::RenderPipeline>,
    pub(crate) environment: Arc<wgpu::ComputePipeline>,
}

#[derive(Debug)]
pub(crate) struct StageStore {
    drawing: Store<wgpu::RenderPipeline>,
    computing: Store<wgpu::ComputePipeline>,
}

/// Looks includes up among the assets.
pub(crate) struct AssetIncludes<'a>(pub(crate) &'a dyn RenderAssets);

impl Includes for AssetIncludes<'_> {
    fn include(&self, name: &str, from: &str) -> Result<SourceFile, Fault> {
        self.0.include(name, from)
    }
}

impl StageStore {
    pub(crate) fn new() -> StageStore {
        StageStore { drawing: Store::new(), computing: Store::new() }
    }

    pub(crate) fn next_draw(&mut self) {
        self.drawing.next_draw();
        self.computing.next_draw();
    }

    pub(crate) fn get(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        assets: &dyn RenderAssets,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Stages, RenderError> {
        let shadow = Drawing {
            label: builtin::SHADOW_STAGE,
            groups: &[&layouts.shadow],
            meshes: true,
            front: wgpu::FrontFace::Ccw,
            cull: None,
            depth: Some(wgpu::DepthStencilState {
                // What is drawn lies a little behind where it is, steep surfaces more.
                bias: wgpu::DepthBiasState { constant: 2, slope_scale: 1.5, clamp: 0.0 },
                ..depth_state(wgpu::CompareFunction::LessEqual)
            }),
            samples: 1,
            target: None,
        };
        let sky = Drawing {
            label: builtin::SKY_STAGE,
            groups: &[&layouts.view],
            meshes: false,
            depth: Some(wgpu::DepthStencilState {
                depth_write_enabled: Some(false),
                ..depth_state(wgpu::CompareFunction::GreaterEqual)
            }),
            samples: SAMPLES,
            target: Some(LIGHT_FORMAT),
            ..shadow
        };
        let picture = Drawing {
            label: builtin::PICTURE_STAGE,
            groups: &[&layouts.picture],
            meshes: false,
            depth: None,
            samples: 1,
            target: Some(PICTURE_FORMAT),
            ..shadow
        };
        let mut drawn = |drawing: &Drawing| {
            let make = |module: &wgpu::ShaderModule| render_pipeline(gpu, module, drawing);
            let found = made(&mut self.drawing, gpu, drawing.label, compose(assets, drawing.label), make);
            settled(drawing.label, found, problems)
        };
        let (shadow, sky, picture) = (drawn(&shadow)?, drawn(&sky)?, drawn(&picture)?);
        let label = builtin::ENVIRONMENT_STAGE;
        let make = |module: &wgpu::ShaderModule| compute_pipeline(gpu, module, &layouts.environment);
        let found = made(&mut self.computing, gpu, label, compose(assets, label), make);
        let environment = settled(label, found, problems)?;
        Ok(Stages { shadow, sky, picture, environment })
    }
}

pub(crate) fn depth_state(compare: wgpu::CompareFunction) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(true),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: Default::default(),
    }
}

/// A device error as diagnostics: a shader's own where it has some.
pub(crate) fn diagnostics_of(error: GpuError) -> Vec<Diagnostic> {
    match error {
        GpuError::Shader { diagnostics, .. } => diagnostics,
        other => vec![Diagnostic::error(other.code(), other.to_string())],
    }
}

fn compose(assets: &dyn RenderAssets, identity: &str) -> Result<ShaderText, Vec<Diagnostic>> {
    let (defines, includes) = (Defines::new(), AssetIncludes(assets));
    let mut preprocessor = Preprocessor::new(&defines, &includes);
    preprocessor.add_include(identity);
    preprocessor.finish()
}

/// The pipeline of the composed shader, or the last one that could be made.
fn made<T>(
    store: &mut Store<T>,
    gpu: &Gpu,
    label: &str,
    composed: Result<ShaderText, Vec<Diagnostic>>,
    make: impl FnOnce(&wgpu::ShaderModule) -> Result<T, GpuError>,
) -> Found<T> {
    match composed {
        Ok(shader) => store.get(label, shader.hash(), || {
            let module = gpu.shader_module(label, &shader).map_err(diagnostics_of)?;
            Ok((make(&module).map_err(diagnostics_of)?, Vec::new()))
        }),
        Err(reasons) => store.get(label, Hash::of(format!("{reasons:?}").as_bytes()), || Err(reasons)),
    }
}

fn settled<T>(identity: &str, found: Found<T>, problems: &mut Vec<Diagnostic>) -> Result<Arc<T>, RenderError> {
    match found.good {
        Some(good) => {
            problems.extend(found.problems);
            Ok(good)
        }
        None => Err(missing(identity, found.problems)),
    }
}

fn missing(identity: &str, diagnostics: Vec<Diagnostic>) -> RenderError {
    let reason = diagnostics.first().map(Diagnostic::to_string).unwrap_or_default();
    RenderError::Builtin { identity: identity.to_owned(), reason, diagnostics }
}

fn compute_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    group: &wgpu::BindGroupLayout,
) -> Result<wgpu::ComputePipeline, GpuError> {
    gpu.checked("the pipeline of the environment", |device| {
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("environment"),
            bind_group_layouts: &[Some(group)],
            immediate_size: 0,
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("environment"),
            layout: Some(&layout),
            module,
            entry_point: Some("compute_main"),
            compilation_options: Default::default(),
            cache: None,
        })
    })
}
