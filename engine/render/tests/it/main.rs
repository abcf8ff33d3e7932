//! The renderer through its public face, over the built-in library of the repository. Without an
//! adapter these say so and pass, unless `ZERO_REQUIRE_GPU` is set.

mod disk;
mod floor;
mod gallery;

mod content;
mod failing;
mod pictures;
