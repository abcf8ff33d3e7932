//! Assets over a real world folder and the real type definitions.

mod stage;

mod builtin;
mod caches;
mod create;
mod events;
mod hostile;
mod identity;
mod references;
mod requires;
mod structure;
mod types;
