use zero_base::Diagnostic;

use super::chunk::Signature;
use super::loops;
use super::normal::Normal;
use super::raw::{Lookup, RawId, RawSignature};
use super::scope::Scope;
use super::shape::{ShapeId, Shapes};

/// Signatures with every type looked up.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    pub shapes: Shapes,
    /// In the order the signatures were given.
    pub signatures: Vec<SignatureShapes>,
    /// Errors about names that mean nothing, warnings about types that cannot be checked.
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
/// are errors where the file itself writes them.
pub fn resolve<'s>(signatures: impl IntoIterator<Item = &'s Signature>, scope: &Scope<'_>) -> Resolved {
    let signatures: Vec<&Signature> = signatures.into_iter().collect();
    let mut lookup = Lookup::new(scope);
    let params: Vec<RawSignature> = signatures.iter().map(|signature| lookup.parameters(signature)).collect();
    lookup.read_bodies();
    // Results are described, not checked: what cannot be checked only there is no loss.
    let said = lookup.diagnostics.len();
    let results: Vec<Vec<RawId>> = signatures.iter().map(|signature| lookup.results(signature)).collect();
    lookup.read_bodies();
    let of_results = lookup.diagnostics.split_off(said);
    lookup.diagnostics.extend(of_results.into_iter().filter(Diagnostic::is_error));
    let order = loops::order(&mut lookup);
    let diagnostics = std::mem::take(&mut lookup.diagnostics);
    let mut normal = Normal::new(lookup, &order);
    let mut signatures = Vec::with_capacity(params.len());
    for (RawSignature { params, variadic }, results) in std::iter::zip(params, results) {
        signatures.push(SignatureShapes {
            params: params.into_iter().map(|param| normal.shape_of(param)).collect(),
            variadic: variadic.map(|rest| normal.shape_of(rest)),
            returns: results.into_iter().map(|result| normal.shape_of(result)).collect(),
        });
    }
    Resolved { shapes: normal.finish(), signatures, diagnostics }
}
