use std::error::Error;

use naga::valid::{Capabilities, ValidationError, ValidationFlags, Validator};
use zero_base::{Diagnostic, Related};

use super::ShaderText;

/// Bytes of private, workgroup and function variables together.
const MOST_VARIABLE_BYTES: u64 = 64 << 10;

impl ShaderText {
    /// Parses and validates the text without a device, for what every device offers. All errors
    /// name the author's file, line and column.
    pub fn check(&self) -> Result<naga::Module, Vec<Diagnostic>> {
        let module = naga::front::wgsl::parse_str(self.text()).map_err(|error| vec![self.parse_error(&error)])?;
        // The default capabilities are those of a device without optional features.
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
        match validator.validate(&module) {
            Ok(_) => self.check_variables(&module).map(|()| module).map_err(|found| vec![found]),
            Err(error) => Err(vec![self.validation_error(&error)]),
        }
    }

    /// Every invocation has its own copy of these variables; drivers that accept very large ones
    /// take minutes or all memory to compile them.
    fn check_variables(&self, module: &naga::Module) -> Result<(), Diagnostic> {
        let size = |type_| u64::from(module.types[type_].inner.try_size(module.to_ctx()).unwrap_or(u32::MAX));
        let private = |variable: &naga::GlobalVariable| {
            matches!(variable.space, naga::AddressSpace::Private | naga::AddressSpace::WorkGroup)
        };
        let globals = module.global_variables.iter().filter(|(_, variable)| private(variable));
        let globals = globals.map(|(at, variable)| (module.global_variables.get_span(at), size(variable.ty)));
        let functions = module.functions.iter().map(|(_, function)| function);
        let functions = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
        let locals = functions.flat_map(|function| {
            let variables = function.local_variables.iter();
            variables.map(|(at, variable)| (function.local_variables.get_span(at), size(variable.ty)))
        });
        let mut total = 0;
        for (span, bytes) in globals.chain(locals) {
            total += bytes;
            if total > MOST_VARIABLE_BYTES {
                let message = format!(
                    "the variables of the shader take {total} bytes and more, and may take {MOST_VARIABLE_BYTES}; \
                     keep large tables in a buffer or a texture"
                );
                return Err(self.placed("shader/variables", message, &[(span, String::new())]));
            }
        }
        Ok(())
    }

    fn parse_error(&self, error: &naga::front::wgsl::ParseError) -> Diagnostic {
        let mut message = error.message().to_owned();
        for note in error.notes() {
            message.push_str("; ");
            message.push_str(note);
        }
        let labels: Vec<(naga::Span, String)> = error.labels().map(|(span, text)| (span, text.to_owned())).collect();
        self.placed("shader/parse", message, &labels)
    }

    fn validation_error(&self, error: &naga::WithSpan<ValidationError>) -> Diagnostic {
        // The outer errors only say in which function; the innermost says what is wrong.
        let mut innermost: &dyn Error = error.as_inner();
        let outermost = innermost.to_string();
        while let Some(source) = innermost.source() {
            innermost = source;
        }
        let inner = innermost.to_string();
        let message = if inner == outermost { inner } else { format!("{inner} ({outermost})") };
        let mut labels: Vec<(naga::Span, String)> = error.spans().cloned().collect();
        if let (true, ValidationError::EntryPoint { name, .. }) = (labels.is_empty(), error.as_inner())
            && let Some(start) = self.text().find(&format!("fn {name}("))
        {
            labels.push((naga::Span::from(start..start + 3 + name.len()), String::new()));
        }
        // The spans of enclosing functions come along: first what is named in words, then the narrowest.
        labels.sort_by_key(|(span, label)| {
            (label.starts_with("naga::"), span.to_range().map_or(usize::MAX, |range| range.len()))
        });
        self.placed("shader/invalid", message, &labels)
    }

    fn placed(&self, code: &'static str, message: String, labels: &[(naga::Span, String)]) -> Diagnostic {
        let mut places = labels.iter().filter_map(|(span, text)| Some((span.to_range()?, text)));
        let Some((range, label)) = places.next() else {
            return match self.files().first() {
                Some(path) => Diagnostic::error(code, message).in_file(path),
                None => Diagnostic::error(code, message),
            };
        };
        // Validation speaks of its own numbered expressions; the line itself says more.
        let label = if is_internal(label) || message.contains(label.as_str()) { "" } else { label };
        let separator = if label.is_empty() { "" } else { ": " };
        let excerpt = self.excerpt(range.start).to_owned();
        let mut diagnostic = self.diagnostic(code, range, format!("{message}{separator}{label}, in `{excerpt}`"));
        for (range, text) in places.filter(|(_, text)| !is_internal(text)) {
            let place = self.diagnostic(code, range, text.clone());
            if let Some(path) = place.path {
                diagnostic.related.push(Related { message: place.message, path, span: place.span });
            }
        }
        diagnostic
    }
}

fn is_internal(label: &str) -> bool {
    label.is_empty() || label.starts_with("naga::")
}
