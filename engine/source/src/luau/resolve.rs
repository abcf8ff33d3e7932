use zero_base::Diagnostic;

use super::chunk::Signature;
use super::normal::Normal;
use super::raw::{Lookup, RawSignature};
use super::scope::Scope;
use super::shape::{ShapeId, Shapes};

/// Signatures with every type looked up.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    pub shapes: Shapes,
    /// In the order the signatures were given.
    pub signatures: Vec<SignatureShapes>,
    /// Warnings about types that cannot be checked.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the values of one signature must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignatureShapes {
    /// One for each parameter; [`super::Shape::Any`] where it has no type.
    pub params: Vec<ShapeId>,
    pub variadic: Option<ShapeId>,
    pub returns: Vec<ShapeId>,
}

/// Looks up the types of `signatures` in `scope`. Names it does not know accept anything, and
/// a diagnostic says so.
pub fn resolve<'s>(signatures: impl IntoIterator<Item = &'s Signature>, scope: &Scope<'_>) -> Resolved {
    let mut lookup = Lookup::new(scope);
    let raw: Vec<RawSignature> = signatures.into_iter().map(|signature| lookup.signature(signature)).collect();
    let diagnostics = std::mem::take(&mut lookup.diagnostics);
    let mut normal = Normal::new(lookup);
    let mut signatures = Vec::with_capacity(raw.len());
    for RawSignature { params, variadic, returns } in raw {
        signatures.push(SignatureShapes {
            params: params.into_iter().map(|param| normal.shape_of(param)).collect(),
            variadic: variadic.map(|rest| normal.shape_of(rest)),
            returns: returns.into_iter().map(|returned| normal.shape_of(returned)).collect(),
        });
    }
    Resolved { shapes: normal.finish(), signatures, diagnostics }
}
