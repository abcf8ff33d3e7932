use std::collections::BTreeMap;

use zero_base::{Diagnostic, Fault};

use super::*;

struct Files(BTreeMap<&'static str, &'static str>);

impl Includes for Files {
    fn include(&self, name: &str, _from: &str) -> Result<SourceFile, Fault> {
        match self.0.get(name) {
            Some(text) => Ok(SourceFile { path: format!("lib/{name}.wgsl"), text: (*text).into() }),
            None => Err(Fault::new("asset/not_found", format!("no shader is called '{name}'"))),
        }
    }
}

fn compose(
    text: &str,
    defines: &[(&str, &str)],
    files: &[(&'static str, &'static str)],
) -> Result<ShaderText, Vec<Diagnostic>> {
    let defines = defines.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let files = Files(files.iter().copied().collect());
    let mut preprocessor = Preprocessor::new(&defines, &files);
    preprocessor.add(&SourceFile { path: "main.wgsl".to_owned(), text: text.into() });
    preprocessor.finish()
}

/// The first complaint about a shader, as `file:line:column code`.
fn complaint(text: &str, defines: &[(&str, &str)], files: &[(&'static str, &'static str)]) -> String {
    let diagnostics = match compose(text, defines, files) {
        Ok(shader) => shader.check().err().unwrap_or_default(),
        Err(diagnostics) => diagnostics,
    };
    diagnostics.first().map_or("nothing".to_owned(), |first| {
        let span = first.span.expect("a place");
        format!("{}:{}:{} {}", first.path.as_deref().unwrap_or("?"), span.line, span.column, first.code)
    })
}

#[test]
fn includes_come_once_however_often_they_are_asked_for() {
    let files = [
        ("a", "#include \"b\"\nfn a() -> f32 { return b(); }"),
        ("b", "#include \"a\"\nfn b() -> f32 { return 1.0; }"),
    ];
    let shader =
        compose("#include \"a\"\n#include \"b\" // again\nfn c() -> f32 { return a() + b(); }", &[], &files).unwrap();
    assert_eq!(shader.text().matches("fn b()").count(), 1);
    assert_eq!(shader.files(), ["main.wgsl", "lib/a.wgsl", "lib/b.wgsl"]);
    assert!(shader.check().is_ok());
}

#[test]
fn blocks_are_kept_for_the_values_they_name_and_nest() {
    let text = "// @when COUNT device host\na\n// @when STAGE table\nb\n// @end\n// @end\nc";
    let check = |count: &str, stage: &str, expected: &str| {
        let shader = compose(text, &[("COUNT", count), ("STAGE", stage)], &[]).unwrap();
        assert_eq!(shader.text().split_whitespace().collect::<String>(), expected);
    };
    check("device", "table", "abc");
    check("host", "other", "ac");
    check("plain", "table", "c");
}

#[test]
fn directives_inside_block_comments_are_text() {
    let shader = compose("/* /* \n*/ #include \"nothing\"\n#include \"nothing\"\n*/\nfn f() {}", &[], &[]).unwrap();
    assert!(shader.check().is_ok());
}

#[test]
fn errors_name_the_authors_place() {
    let check = |text: &str, expected: &str| {
        assert_eq!(complaint(text, &[("N", "12345.0"), ("MODE", "a")], LIBRARY), expected, "{text}")
    };
    check("fn f() -> f32 { return #{N}; }", "nothing");
    check("fn f() -> f32 {\n  let x = #{N} + y;\n return x; }", "main.wgsl:2:18 shader/parse");
    check("#include \"broken\"\nfn f() {}", "lib/broken.wgsl:2:17 shader/parse");
    check("#include \"outer\"\nfn f() {}", "lib/inner.wgsl:2:16 shader/parse");
    check("fn f() -> f32 {\n  return 1u;\n}", "main.wgsl:2:10 shader/invalid");
    check("fn g(a: f32) {}\nfn f(b: u32) {\n  g(b);\n}", "main.wgsl:3:3 shader/invalid");
    check("fn g() {}\n@fragment fn f(a: u32) {}", "main.wgsl:2:11 shader/invalid");
    check("var<private> a: array<f32, 100000>;\nfn f() -> f32 { return a[0]; }", "main.wgsl:1:1 shader/variables");
    check("fn f() {\n  var a: array<array<vec4f, 1000>, 1000>;\n}", "main.wgsl:2:3 shader/variables");
    check("var<storage> o: f32;", "main.wgsl:1:1 shader/invalid");
    check("\n  #include \"gone\"", "main.wgsl:2:3 shader/include");
    check("\n#inclood \"gone\"", "main.wgsl:2:1 shader/directive");
    check("// @when\n// @end", "main.wgsl:1:1 shader/directive");
    check("// @when MODE a\n", "main.wgsl:1:1 shader/when_without_end");
    check("// @when MOOD a\n// @end", "main.wgsl:1:1 shader/unknown_variant");
    check("// @end", "main.wgsl:1:1 shader/end_without_when");
    check("let x = #{M};", "main.wgsl:1:9 shader/unknown_define");
}

const LIBRARY: &[(&str, &str)] = &[
    ("broken", "fn broken() {\n  let a = 1.0; }}"),
    ("outer", "#include \"inner\"\nfn outer() {}"),
    ("inner", "fn inner() -> f32 {\n  return 1.0 * hh;\n}"),
];

#[test]
fn slips_are_answered_with_the_nearest_name() {
    let diagnostics = compose("// @when SHADOW on\n// @end", &[("SHADOWS", "on")], &[]).unwrap_err();
    assert_eq!(diagnostics[0].nearest.as_deref(), Some("SHADOWS"));
}

#[test]
fn generated_lines_blame_the_line_they_were_made_from() {
    let defines = Defines::new();
    let mut preprocessor = Preprocessor::new(&defines, &NoIncludes);
    preprocessor
        .add_generated("properties.yaml", &[(3, "fn f() -> f32 {".to_owned()), (7, "return nothing; }".to_owned())]);
    let diagnostics = preprocessor.finish().unwrap().check().unwrap_err();
    assert_eq!((diagnostics[0].path.as_deref(), diagnostics[0].span.unwrap().line), (Some("properties.yaml"), 7));
}
