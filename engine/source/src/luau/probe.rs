/// A run-time value as the explanation of a failed check looks at it. Reading must not run
/// the author's code: no metamethods.
#[allow(clippy::len_without_is_empty, reason = "a length is compared with keys, never asked for emptiness")]
pub trait Probe: Sized {
    /// What Luau's `type` says: `nil`, `boolean`, `number`, `string`, `table`, `vector`, …
    fn type_name(&self) -> &str;
    fn as_str(&self) -> Option<String>;
    fn as_f64(&self) -> Option<f64>;
    fn as_bool(&self) -> Option<bool>;
    /// The field of a table or the component of a vector; none for nil.
    fn field(&self, name: &str) -> Option<Self>;
    /// The element at `index`, from 1; none for nil.
    fn item(&self, index: usize) -> Option<Self>;
    /// Length of the list part.
    fn len(&self) -> usize;
    /// Up to `limit` keys.
    fn keys(&self, limit: usize) -> Vec<Self>;
    /// What the value stands for if the engine made it, as a type: `EntityRef`,
    /// `AssetRef<"material">`, `AssetRef<"material", "demo.gold">`.
    fn host_kind(&self) -> Option<String>;
}
