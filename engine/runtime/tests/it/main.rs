//! The engine through its public face: real folders, the real library, real machines.

mod support;

mod scripts;
