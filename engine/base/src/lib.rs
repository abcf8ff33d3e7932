//! The ground every crate stands on: hashes, guids, diagnostics, coded errors, callers,
//! portable maths, seeded random numbers and the `Io` trait.
//!
//! Never knows what a world, an asset or a script is, and never touches the disk except
//! through [`Io`]. Start reading at [`Fault`] and [`Diagnostic`]: every refusal the engine
//! gives is one of the two.

mod hash;
mod guid;
mod diagnostic;
mod fault;
mod nearest;
mod caller;
mod io;
pub mod maths;
mod random;

pub use caller::{Caller, CancelFlag, Transport};
pub use diagnostic::{Diagnostic, Related, Severity, Span};
pub use fault::Fault;
pub use guid::Guid;
pub use hash::{Hash, HashParseError, Hasher};
pub use io::{DirEntry, FileKind, Io, Metadata, RealIo, SimIo};
pub use nearest::{did_you_mean, nearest};
pub use random::Random;
