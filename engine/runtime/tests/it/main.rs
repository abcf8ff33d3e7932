//! The engine through its public face: real folders, the real library, real machines.

mod support;

mod api_docs;
mod components;
mod error_pages;
mod hostile;
mod library;
mod overrun;
mod pictures;
mod play;
mod rollback;
mod scenes;
mod scripts;
mod tasks;
mod tools;
mod transactions;
