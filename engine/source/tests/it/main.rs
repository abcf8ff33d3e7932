//! Rewritten files in a Luau machine: what the guards let through, and what they say.

mod guards;
mod machine;
mod messages;
mod plain;
