//! From a folder to a running world.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use zero_assets::Assets;
use zero_base::{Diagnostic, Fault, RealIo, Severity, did_you_mean};
use zero_source::yaml;
use zero_vfs::{Library, Vfs, VfsConfig};
use zero_world::World;

use crate::check;
use crate::engine::EngineConfig;
use crate::machine::Machine;
use crate::scenes;
use crate::shared::Shared;
use crate::state::{Mode, OpenScene, State};

/// The file that makes a folder a world.
pub(crate) const WORLD_FILE: &str = "world.yaml";

/// Makes the folder of a new world: `world.yaml` and a first scene, with a light, a sky and a
/// floor. Refused with `world/exists` where one is already.
pub fn create_world(dir: &Path, name: &str) -> Result<(), Fault> {
    let failed = |error: std::io::Error| Fault::new("world/create", format!("the world could not be made: {error}"));
    if dir.join(WORLD_FILE).exists() {
        return Err(Fault::new(
            "world/exists",
            format!("{} is a world already; open it, or choose another folder", dir.display()),
        ));
    }
    let scene = dir.join("source/main.scene");
    fs::create_dir_all(&scene).map_err(failed)?;
    let world = json!({ "name": name, "entrypoint": "main", "lsp": { "strict_mode": true } });
    for (path, text) in [
        (scene.join("scene.yaml"), include_str!("new_world/scene.yaml").to_owned()),
        (scene.join("entrypoint.luau"), include_str!("new_world/entrypoint.luau").to_owned()),
        (scene.join("README.md"), include_str!("new_world/README.md").replace("{name}", name)),
        (scene.join(".metadata"), format!("guid: {}\ntags: []\n", zero_base::Guid::random())),
        // Last: a folder with it is a whole world.
        (dir.join(WORLD_FILE), yaml::emit(&world)),
    ] {
        fs::write(path, text).map_err(failed)?;
    }
    Ok(())
}

pub(crate) fn open(config: EngineConfig) -> Result<Rc<Shared>, Fault> {
    let (settings, mut found) = read_settings(&config.world)?;
    let library = match &config.builtin {
        Some(root) => Library::Disk(
            zero_library::PARTS.iter().map(|(place, folder)| ((*place).to_owned(), root.join(folder))).collect(),
        ),
        None => Library::Embedded(zero_library::FILES),
    };
    let (mut vfs, recovery) = Vfs::open(VfsConfig {
        io: Arc::new(RealIo),
        world: config.world.clone(),
        libraries: vec![("builtin".to_owned(), library)],
        watch: true,
    })?;
    for conflict in &recovery.conflicts {
        found.push(
            Diagnostic::warning(
                "vfs/recovery_conflict",
                format!(
                    "the file was changed from outside while transaction {} was unfinished; the outside change was kept, the other is in the history",
                    conflict.id
                ),
            )
            .in_file(conflict.path.as_str()),
        );
    }
    found.extend(recovery.damaged);
    found.extend(recovery.unread);
    vfs.take_events();
    let assets = Assets::open(&vfs);
    let name = settings["name"].as_str().map_or_else(|| folder_name(&config.world), str::to_owned);
    let state = State {
        root: config.world,
        name,
        settings,
        vfs,
        assets,
        world: World::new(),
        scene: OpenScene { identity: None, file: None, file_hash: None, saved: None, read_only: false },
        mode: Mode::Edit,
        paused: false,
        frame: 0,
        time: 0.0,
        frames_requested: 0,
        next_frame_at: 0.0,
        before_play: None,
        components: BTreeMap::new(),
        problems: BTreeMap::new(),
        missing_systems: BTreeSet::new(),
        scene_file_changed: false,
        unchecked: BTreeSet::new(),
        missed_by_edit: BTreeSet::new(),
        recent_errors: VecDeque::new(),
        logs: VecDeque::new(),
        renderer: None,
        pictures: config.pictures,
    };
    let shared = Shared::new(state);
    let machine = Machine::new(&shared)?;
    shared.set_machine(machine);
    for diagnostic in found {
        shared.report(diagnostic, Some(WORLD_FILE));
    }
    open_entrypoint(&shared);
    check::queue_all(&mut shared.state.borrow_mut());
    Ok(shared)
}

/// What is wrong with `world.yaml` as the engine has read it.
pub(crate) fn settings_findings(state: &State) -> Vec<Diagnostic> {
    const KNOWN: [&str; 3] = ["name", "entrypoint", "lsp"];
    let mut found = state.problems.get(WORLD_FILE).cloned().unwrap_or_default();
    for key in state.settings.as_object().into_iter().flat_map(|settings| settings.keys()) {
        if !KNOWN.contains(&key.as_str()) {
            let message = format!("there is no setting '{key}'{}; it is not used", did_you_mean(key, &KNOWN));
            found.push(Diagnostic::warning("world/unknown_setting", message).in_file(WORLD_FILE));
        }
    }
    let entrypoint = state.settings["entrypoint"].as_str();
    if let Some(Err(error)) = entrypoint.map(|identity| state.assets.resolve(identity, Some("scene"), None)) {
        let fault = Fault::from(error);
        let message = format!("entrypoint: {}", fault.message);
        found.push(Diagnostic::error(fault.code, message).in_file(WORLD_FILE));
    }
    found
}

/// Opens the scene the world names; one that cannot be opened leaves an empty world and says so.
fn open_entrypoint(shared: &Rc<Shared>) {
    let entrypoint = shared.state.borrow().settings["entrypoint"].as_str().map(str::to_owned);
    let opened = match &entrypoint {
        Some(identity) => shared.as_engine(|| scenes::load(shared, identity).map(drop)),
        None => shared.as_engine(|| scenes::open_untitled(shared)),
    };
    if let Err(fault) = opened {
        let message = format!("the scene that {WORLD_FILE} names could not be opened: {}", fault.message);
        shared.report(Diagnostic::new(Severity::Error, fault.code, message).in_file(WORLD_FILE), None);
    }
}

fn read_settings(world: &Path) -> Result<(Json, Vec<Diagnostic>), Fault> {
    let path = world.join(WORLD_FILE);
    let bytes = fs::read(&path).map_err(|error| {
        let why = if error.kind() == std::io::ErrorKind::NotFound {
            format!("there is no {WORLD_FILE}; make a world with 'zero new <dir>'")
        } else {
            error.to_string()
        };
        Fault::new("world/not_found", format!("{} is not a world: {why}", world.display()))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let message = format!(
            "{WORLD_FILE} is not UTF-8 text: the byte at offset {offset} is invalid; save it as UTF-8: {}",
            path.display()
        );
        Fault::new("world/not_utf8", message)
    })?;
    Ok(match yaml::parse(&text) {
        Ok(node) => match node.to_json() {
            settings @ Json::Object(_) => (settings, Vec::new()),
            _ => (
                json!({}),
                vec![Diagnostic::error("world/settings", format!("{WORLD_FILE} must be a map")).in_file(WORLD_FILE)],
            ),
        },
        Err(found) => (json!({}), found.into_iter().map(|diagnostic| diagnostic.in_file(WORLD_FILE)).collect()),
    })
}

fn folder_name(world: &Path) -> String {
    world
        .canonicalize()
        .ok()
        .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "world".to_owned())
}
