//! The device through its public face. Without an adapter these say so and pass, unless
//! `ZERO_REQUIRE_GPU` is set.

use zero_gpu::{Defines, Gpu, NoIncludes, Preprocessor, ShaderText, SourceFile, wgpu};

fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("ZERO_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

fn shader(text: &str) -> ShaderText {
    let defines = Defines::new();
    let mut preprocessor = Preprocessor::new(&defines, &NoIncludes);
    preprocessor.add(&SourceFile { path: "test.wgsl".to_owned(), text: text.into() });
    preprocessor.finish().expect("the text has no directives")
}

#[test]
fn a_broken_shader_is_refused_at_its_line() {
    let Some(gpu) = gpu() else { return };
    let error = gpu.shader_module("test", &shader("fn f() -> f32 {\n  return nothing;\n}")).unwrap_err();
    assert_eq!(error.code(), "gpu/shader");
    assert!(error.to_string().contains("test.wgsl:2:10"), "{error}");
    assert!(gpu.shader_module("test", &shader("fn f() -> f32 { return 1.0; }")).is_ok());
}

#[test]
fn what_the_device_refuses_comes_back_as_an_error() {
    let Some(gpu) = gpu() else { return };
    let module = gpu.shader_module("test", &shader("@compute @workgroup_size(1) fn main() {}")).unwrap();
    let refused = gpu.checked("the pipeline", |device| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("absent"),
            compilation_options: Default::default(),
            cache: None,
        })
    });
    let error = refused.unwrap_err();
    assert_eq!(error.code(), "gpu/refused");
    assert!(error.to_string().contains("absent"), "{error}");
}

#[test]
fn a_cleared_texture_reads_back_without_row_padding() {
    let Some(gpu) = gpu() else { return };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 3, height: 2, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let texels: Vec<u8> = (0..24).collect();
    gpu.queue.write_texture(
        texture.as_image_copy(),
        &texels,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(12), rows_per_image: None },
        texture.size(),
    );
    assert_eq!(gpu.read_texture(&texture).unwrap(), texels);
}
