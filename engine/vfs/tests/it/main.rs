//! The public interface of the virtual file system, on a real disk.

mod external;
mod files;
mod history;
mod kill;
mod model;
mod shadow;
mod transactions;
mod unread;
mod world;
