mod editing;
mod emitting;
mod reading;
