use zero_base::{Diagnostic, Span};
use zero_gpu::{Defines, Gpu, Preprocessor, ShaderText, SourceFile, wgpu};

use super::Made;
use super::pipelines::{Drawing, LIGHT_FORMAT, Layouts, SAMPLES, render_pipeline};
use super::stages::{AssetIncludes, depth_state, diagnostics_of};
use crate::content::{ShaderProperties, parse_properties};
use crate::{PropertyKind, RenderAssets, ShaderSource, builtin};

/// A surface shader ready to draw with, and what materials may set on it.
#[derive(Debug)]
pub(crate) struct SurfaceShader {
    pub(crate) properties: ShaderProperties,
    pub(crate) material_layout: wgpu::BindGroupLayout,
    pub(crate) pipeline: wgpu::RenderPipeline,
    /// For meshes whose transform mirrors them, which turns their faces around.
    pub(crate) mirrored_pipeline: wgpu::RenderPipeline,
}

/// Whether the text of a shader asset is a surface, rather than functions that others include.
pub fn declares_surface(wgsl: &str) -> bool {
    surface_function(&without_comments(wgsl)).is_some()
}

/// Everything that can be known about a shader asset without a device: its declarations, its
/// signature, and that it compiles with the code around it. For validation; drawing reports the
/// same. Empty when all is well.
pub fn check_shader(source: &ShaderSource, assets: &dyn RenderAssets) -> Vec<Diagnostic> {
    let composed = compose(source, assets);
    match composed.and_then(|(shader, _)| shader.check()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems,
    }
}

/// The whole shader: the stage, the declarations the properties ask for, and the author's file.
pub(crate) fn compose(
    source: &ShaderSource,
    assets: &dyn RenderAssets,
) -> Result<(ShaderText, ShaderProperties), Vec<Diagnostic>> {
    let properties = parse_properties(&source.properties, &source.properties_path)?;
    if let Some(problem) = signature_problem(&source.wgsl, &source.path) {
        return Err(vec![problem]);
    }
    let (defines, includes) = (Defines::new(), AssetIncludes(assets));
    let mut preprocessor = Preprocessor::new(&defines, &includes);
    preprocessor.add_include(builtin::SURFACE_STAGE);
    preprocessor.add_generated(&source.properties_path, &declarations(&properties));
    preprocessor.add(&SourceFile { path: source.path.clone(), text: source.wgsl.clone() });
    Ok((preprocessor.finish()?, properties))
}

pub(crate) fn make(
    gpu: &Gpu,
    layouts: &Layouts,
    label: &str,
    shader: &ShaderText,
    properties: ShaderProperties,
) -> Made<SurfaceShader> {
    let module = gpu.shader_module(label, shader).map_err(diagnostics_of)?;
    let material_layout = Layouts::material(gpu, properties.textures().count());
    let pipeline = |front| {
        let drawing = Drawing {
            label,
            groups: &[&layouts.view, &material_layout],
            meshes: true,
            front,
            cull: Some(wgpu::Face::Back),
            depth: Some(depth_state(wgpu::CompareFunction::GreaterEqual)),
            samples: SAMPLES,
            target: Some(LIGHT_FORMAT),
        };
        render_pipeline(gpu, &module, &drawing).map_err(diagnostics_of)
    };
    let (pipeline, mirrored_pipeline) = (pipeline(wgpu::FrontFace::Ccw)?, pipeline(wgpu::FrontFace::Cw)?);
    Ok((SurfaceShader { properties, material_layout, pipeline, mirrored_pipeline }, Vec::new()))
}

/// The WGSL that properties become, each line with the line of `properties.yaml` to blame for it.
fn declarations(properties: &ShaderProperties) -> Vec<(u32, String)> {
    let mut lines = vec![(1, "struct Material {".to_owned())];
    for property in properties.values() {
        lines.push((property.line, format!("{}: {},", property.name, wgsl_type(property.kind))));
    }
    if properties.values().next().is_none() {
        lines.push((1, "zero_unused: vec4<f32>,".to_owned()));
    }
    lines.push((1, "}".to_owned()));
    lines.push((1, "@group(1) @binding(0) var<uniform> material: Material;".to_owned()));
    for (binding, property) in (1..).step_by(2).zip(properties.textures()) {
        let name = &property.name;
        lines.push((property.line, format!("@group(1) @binding({binding}) var {name}: texture_2d<f32>;")));
        lines.push((property.line, format!("@group(1) @binding({}) var {name}Sampler: sampler;", binding + 1)));
    }
    lines
}

fn wgsl_type(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Float => "f32",
        PropertyKind::Float2 => "vec2<f32>",
        PropertyKind::Float3 => "vec3<f32>",
        PropertyKind::Float4 | PropertyKind::Color => "vec4<f32>",
        PropertyKind::Int => "i32",
        PropertyKind::Bool => "u32",
        PropertyKind::Texture { .. } => unreachable!("textures are no fields of the struct"),
    }
}

/// Looks for `fn surface(name: SurfaceInput) -> Surface`: the compiler would put the blame for a
/// missing or different one on built-in code.
fn signature_problem(text: &str, path: &str) -> Option<Diagnostic> {
    const WANTED: &str = "fn surface(input: SurfaceInput) -> Surface";
    let problem = |span: Span, message: String| {
        Some(Diagnostic::error("shader/surface", message).in_file(path).at(span).choices("", [WANTED]))
    };
    let code = without_comments(text);
    let Some((start, parameters)) = surface_function(&code) else {
        return problem(Span::at(1, 1), format!("a surface shader declares `{WANTED}`, and this one does not"));
    };
    let signature: String = parameters.split('{').next()?.split_whitespace().collect();
    let fits = signature
        .split_once(':')
        .is_some_and(|(_, rest)| matches!(rest, "SurfaceInput)->Surface" | "SurfaceInput,)->Surface"));
    if fits {
        return None;
    }
    let end = start + code[start..].find('{').unwrap_or(2);
    problem(Span::of_bytes(text, start, end), format!("this function is to be declared as `{WANTED}`"))
}

/// Where `fn surface(` starts in text without comments, and what follows it.
fn surface_function(code: &str) -> Option<(usize, &str)> {
    code.match_indices("fn").find_map(|(start, _)| {
        let rest = code[start + 2..].trim_start();
        let starts_word = start == 0 || !code.as_bytes()[start - 1].is_ascii_alphanumeric();
        let parameters = rest.strip_prefix("surface")?.trim_start().strip_prefix('(')?;
        (starts_word && rest.len() < code.len() - start - 2).then_some((start, parameters))
    })
}

/// The text with comments blanked out, every other byte in its place.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        let pair = (bytes[at], bytes.get(at + 1).copied().unwrap_or(0));
        let length = match pair {
            (b'/', b'/') if depth == 0 => {
                bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at)
            }
            (b'/', b'*') => {
                depth += 1;
                2
            }
            (b'*', b'/') if depth > 0 => {
                depth -= 1;
                2
            }
            _ if depth > 0 => 1,
            _ => 0,
        };
        let end = (at + length).min(bytes.len());
        bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end.max(at + 1);
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_checked_before_the_compiler_blames_others() {
        let check = |text: &str, expected: Option<(u32, u32)>| {
            let problem = signature_problem(text, "shader.wgsl");
            assert_eq!(
                problem.and_then(|problem| problem.span).map(|span| (span.line, span.column)),
                expected,
                "{text}"
            );
        };
        check("fn surface(input: SurfaceInput) -> Surface {", None);
        check("// é\nfn  surface (\n  i : SurfaceInput, /* { */\n) -> Surface {", None);
        check("", Some((1, 1)));
        check("// fn surface(input: SurfaceInput) -> Surface {}", Some((1, 1)));
        check("fn surfaces(input: SurfaceInput) -> Surface {}", Some((1, 1)));
        check("\n fn surface() -> Surface {}", Some((2, 2)));
        check("fn surface(input: SurfaceInput) -> vec4<f32> {}", Some((1, 1)));
    }

    #[test]
    fn properties_become_one_struct_and_pairs_of_texture_and_sampler() {
        let text = "- { name: tint, type: color }\n- { name: map, type: texture }\n- { name: on, type: bool }";
        let lines = declarations(&parse_properties(text, "properties.yaml").unwrap());
        let text: Vec<String> = lines.iter().map(|(line, text)| format!("{line} {text}")).collect();
        assert_eq!(
            text,
            [
                "1 struct Material {",
                "1 tint: vec4<f32>,",
                "3 on: u32,",
                "1 }",
                "1 @group(1) @binding(0) var<uniform> material: Material;",
                "2 @group(1) @binding(1) var map: texture_2d<f32>;",
                "2 @group(1) @binding(2) var mapSampler: sampler;",
            ]
        );
    }
}
