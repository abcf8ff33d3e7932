use zero_base::{Diagnostic, Fault, did_you_mean};
use zero_script::mlua::{AnyUserData, Result, Table, Value};
use zero_script::{fault_of, fault_of_value, from_json, to_json};

use crate::bind::Binder;
use crate::shared::Mark;
use crate::state::Mode;
use crate::world_hash;

pub(super) fn bind(binder: &Binder) -> Result<()> {
    binder.add("mode", |_, shared, ()| Ok(shared.state.borrow().mode.name()))?;
    binder.add("paused", |_, shared, ()| Ok(shared.state.borrow().paused))?;
    binder.add("now", |_, shared, ()| Ok(shared.now()))?;
    binder.add("frame", |_, shared, ()| Ok(shared.state.borrow().frame as f64))?;
    binder.add("requestFrames", |_, shared, count: f64| {
        let mut state = shared.state.borrow_mut();
        if state.mode != Mode::Play {
            return Err(Fault::new("play/not_playing", "steps advance play, and the world is in edit mode"));
        }
        if !(1.0..=36_000.0).contains(&count) {
            return Err(Fault::new("play/frames", format!("frames must be 1 to 36000, got {count}")));
        }
        if state.paused {
            state.frames_requested += count as u64;
        }
        Ok(())
    })?;
    binder.add("worldHash", |lua, shared, ()| from_json(lua, &world_hash::of(shared)?).map_err(|e| fault_of(&e)))?;
    binder.add("worldName", |_, shared, ()| Ok(shared.state.borrow().name.clone()))?;
    binder.add("jsonEncode", |_, _, value: Value| Ok(to_json(&value)?.to_string()))?;
    binder.add("jsonDecode", |lua, _, text: String| {
        let value =
            serde_json::from_str(&text).map_err(|error| Fault::new("json/syntax", format!("not JSON: {error}")))?;
        from_json(lua, &value).map_err(|e| fault_of(&e))
    })?;
    // The problem may be anything a script threw: nothing of it is run to show it.
    binder.add("report", |_, shared, (code, message, problem): (String, String, Value)| {
        let text = match problem {
            Value::Nil => message,
            problem => format!("{message}: {}", fault_of_value(&problem).message),
        };
        shared.report(Diagnostic::error(code, text), None);
        Ok(())
    })?;
    // A reference's own fields are what guards go by: scripts cannot set them, not even raw.
    binder.add("freeze", |_, _, table: Table| {
        table.set_readonly(true);
        Ok(table)
    })?;
    binder.add("savepoint", |lua, shared, ()| lua.create_any_userdata(shared.mark()).map_err(|e| fault_of(&e)))?;
    binder.add("rollBackTo", |_, shared, mark: AnyUserData| {
        let mark = *mark.borrow::<Mark>().map_err(|e| fault_of(&e))?;
        shared.roll_back_to(mark);
        Ok(())
    })?;
    binder.add(
        "unknownMember",
        |_, _, (what, name, known): (String, String, Vec<String>)| -> std::result::Result<(), Fault> {
            Err(Fault::new(
                "script/unknown_member",
                format!("{what} has no '{name}'{}; it has {}", did_you_mean(&name, &known), known.join(", ")),
            )
            .with_data(serde_json::json!({ "members": known })))
        },
    )
}
