mod instrument;
mod reading;
mod schema;
mod soup;
mod types;
