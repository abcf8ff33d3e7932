//! The entities of a scene: their places in the hierarchy, their components, and the changes
//! that made them so.
//!
//! Never runs a script, draws, or touches a file: a scene comes in as text and goes out as
//! text, and every authored edit answers with the [`Change`]s a journal needs to undo it.
//! Start at [`World`] and [`Edit`].

mod canonical;
mod change;
mod color;
mod error;
mod id;
mod native;
mod scene;
mod schema;
mod transform;
mod world;

pub use canonical::{Record, json_number};
pub use change::{Change, ENTITY, Edit, TRANSFORM};
pub use color::{color_from_linear, linear_color};
pub use error::WorldError;
pub use id::EntityId;
pub use native::{AmbientLight, Camera, DirectionalLight, Material, Mesh, NATIVE_COMPONENTS, ProceduralSky};
pub use scene::{EntityRecord, Positions, SceneDoc, merge_scene, replay_scene};
pub use schema::{ComponentSchema, EventSchema, FieldKind, FieldSchema, Schemas, SyncMode, normalise};
pub use transform::Transform;
pub use world::{Name, Parent, World};
