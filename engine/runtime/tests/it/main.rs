//! The engine through its public face: real folders, the real library, real machines.

mod support;

mod components;
mod hostile;
mod library;
mod pictures;
mod play;
mod scenes;
mod scripts;
mod tools;
mod transactions;
