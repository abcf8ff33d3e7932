//! One picture: what is visible, in which order, and the passes that draw it.
//!
//! Order: shadow atlas → surfaces and sky into a multisampled light buffer → picture. The sky's
//! filtered maps come first, when the sky has changed.

pub(crate) mod batches;
pub(crate) mod cascades;
pub(crate) mod culling;
pub(crate) mod environment;
pub(crate) mod passes;
pub(crate) mod targets;
pub(crate) mod uniforms;
pub(crate) mod view;
