use std::collections::BTreeMap;

use zero_base::Diagnostic;
use zero_source::yaml::{self, Node};

use super::check::cut_bad_links;
use super::{EntityPositions, EntityRecord, Positions, SceneDoc};
use crate::canonical::{canonical, canonical_record};
use crate::world::check_name;
use crate::{EntityId, Record, Transform, WorldError};

const VERSION: i64 = 1;
const TOP_KEYS: [&str; 4] = ["scene", "playerIntent", "nextId", "entities"];
const ENTITY_KEYS: [&str; 7] = ["id", "name", "parent", "position", "rotation", "scale", "components"];

impl SceneDoc {
    /// Reads scene text. A record that makes no sense is set aside and reported, the rest
    /// loads; `Err` is text that is no scene at all, which must not be overwritten.
    pub fn parse(text: &str, path: &str) -> Result<(SceneDoc, Vec<Diagnostic>), Vec<Diagnostic>> {
        let root = yaml::parse_file(text, path)?;
        let mut reader = Reader { path, diagnostics: Vec::new() };
        if root.is_null() {
            return Ok((SceneDoc::default(), Vec::new()));
        }
        if !root.is_map() {
            let message = format!("a scene is a map with 'scene' and 'entities', this is a {}", root.type_name());
            return Err(vec![reader.error("scene/not_a_scene", message, &root)]);
        }
        if let Some(version) = root.get("scene")
            && version.as_i64() != Some(VERSION)
        {
            let message = format!("this engine reads scene version {VERSION}; the file is of another one");
            return Err(vec![reader.error("scene/version", message, version)]);
        }
        let scene = reader.scene(&root)?;
        Ok((scene, reader.diagnostics))
    }
}

struct Reader<'a> {
    path: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn scene(&mut self, root: &Node) -> Result<SceneDoc, Vec<Diagnostic>> {
        let mut scene = SceneDoc {
            positions: Positions { path: self.path.to_owned(), ..Positions::default() },
            ..SceneDoc::default()
        };
        scene.extra = self.unknown_keys(root, &TOP_KEYS, "a scene");
        if let Some(intent) = root.get("playerIntent") {
            scene.player_intent = intent.as_str().map(str::to_owned);
            if scene.player_intent.is_none() && !intent.is_null() {
                self.report("scene/bad_value", "playerIntent is text, such as \"spawns\"; kept and not used", intent);
                scene.extra.insert("playerIntent".into(), intent.to_json());
            }
        }
        if let Some(next) = root.get("nextId") {
            match next.as_i64().and_then(|number| EntityId::from_number(number as u64)) {
                Some(next) => scene.next_id = next.number(),
                None => self.report("scene/bad_value", "nextId is a positive whole number; counted anew", next),
            }
        }
        match root.get("entities") {
            Some(list) if !list.is_list() && !list.is_null() => {
                let message = format!("entities is a list of records, not a {}", list.type_name());
                return Err(vec![self.error("scene/not_a_scene", message, list)]);
            }
            list => list.into_iter().flat_map(Node::items).for_each(|node| self.add(&mut scene, node)),
        }
        let highest = scene.entities.keys().next_back().map_or(0, |entity| entity.number());
        scene.next_id = scene.next_id.max(highest + 1);
        self.diagnostics.extend(cut_bad_links(&mut scene));
        Ok(scene)
    }

    fn add(&mut self, scene: &mut SceneDoc, node: &Node) {
        match self.entity(node) {
            Ok((entity, ..)) if scene.entities.contains_key(&entity) => {
                let message =
                    format!("{entity} is used by an earlier record; this one is set aside, give it an id of its own");
                let mut diagnostic = self.error("scene/duplicate_id", message, node.get("id").unwrap_or(node));
                diagnostic.related.extend(scene.positions.of(entity, None, None).map(|span| zero_base::Related {
                    message: "the earlier record".into(),
                    path: self.path.to_owned(),
                    span: Some(span),
                }));
                self.diagnostics.push(diagnostic);
                scene.unread.push(node.to_json());
            }
            Ok((entity, record, positions)) => {
                scene.entities.insert(entity, record);
                scene.positions.entities.insert(entity, positions);
            }
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                scene.unread.push(node.to_json());
            }
        }
    }

    fn entity(&mut self, node: &Node) -> Result<(EntityId, EntityRecord, EntityPositions), Box<Diagnostic>> {
        let bad = |message: String, at: &Node| Box::new(self.error("scene/bad_entity", message, at));
        if !node.is_map() {
            return Err(bad(format!("an entity is a map with 'id' and 'name', this is a {}", node.type_name()), node));
        }
        let refused = |error: WorldError, at: &Node| bad(format!("the record is set aside: {error}"), at);
        let text = |key: &str| {
            let value =
                node.get(key).ok_or_else(|| bad(format!("an entity needs '{key}'; the record is set aside"), node))?;
            let text =
                value.as_str().ok_or_else(|| bad(format!("'{key}' is text, not a {}", value.type_name()), value));
            text.map(|text| (text, value))
        };
        let (id, id_node) = text("id")?;
        let entity: EntityId = id.parse().map_err(|error| refused(error, id_node))?;
        let (name, name_node) = text("name")?;
        check_name(name).map_err(|error| refused(error, name_node))?;
        let parent = match node.get("parent") {
            Some(parent) if !parent.is_null() => {
                let (parent, at) = text("parent")?;
                Some(parent.parse().map_err(|error| refused(error, at))?)
            }
            _ => None,
        };
        let mut transform = Transform::IDENTITY;
        for field in Transform::FIELDS {
            if let Some(value) = node.get(field) {
                transform = transform
                    .with_part(field, &value.to_json())
                    .and_then(Transform::checked)
                    .map_err(|error| refused(error, value))?;
            }
        }
        let mut components = BTreeMap::new();
        let mut positions = EntityPositions { span: node.span(), components: BTreeMap::new() };
        for entry in node.get("components").map_or(&[][..], Node::entries) {
            if !entry.value.is_map() && !entry.value.is_null() {
                let got = entry.value.type_name();
                return Err(bad(format!("the component {} is a map of fields, not a {got}", entry.key), &entry.value));
            }
            let fields = entry.value.to_json().as_object().cloned().unwrap_or_default();
            let record = canonical_record(&fields, &entry.key).map_err(|error| refused(error, &entry.value))?;
            let spans = entry.value.entries().iter().map(|field| (field.key.clone(), field.value.span()));
            positions.components.insert(entry.key.clone(), (entry.key_span, spans.collect()));
            components.insert(entry.key.clone(), record);
        }
        if let Some(value) = node.get("components").filter(|value| !value.is_map() && !value.is_null()) {
            return Err(bad(format!("components is a map by name, not a {}", value.type_name()), value));
        }
        let extra = self.unknown_keys(node, &ENTITY_KEYS, "an entity");
        Ok((entity, EntityRecord { name: name.to_owned(), parent, transform, components, extra }, positions))
    }

    /// The entries nobody knows, reported and kept.
    fn unknown_keys(&mut self, node: &Node, known: &[&str], owner: &str) -> Record {
        let mut extra = Record::new();
        for entry in node.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let hint = zero_base::did_you_mean(&entry.key, known);
            let message = format!("{owner} has no key '{}'{hint}; kept and not used", entry.key);
            let diagnostic = Diagnostic::warning("scene/unknown_key", message).in_file(self.path).at(entry.key_span);
            self.diagnostics.push(diagnostic.choices(&entry.key, known));
            let value = entry.value.to_json();
            extra.insert(entry.key.clone(), canonical(&value, &entry.key).unwrap_or(value));
        }
        extra.sort_keys();
        extra
    }

    fn report(&mut self, code: &'static str, message: &str, at: &Node) {
        let diagnostic = Diagnostic::warning(code, message).in_file(self.path).at(at.span());
        self.diagnostics.push(diagnostic);
    }

    fn error(&self, code: &'static str, message: String, at: &Node) -> Diagnostic {
        Diagnostic::error(code, message).in_file(self.path).at(at.span())
    }
}
