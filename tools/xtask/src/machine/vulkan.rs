use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

const LOADER: &str = "libvulkan.so.1";
/// Drivers that draw on the processor, by a part of their description's file name.
const SOFTWARE: &[&str] = &["lvp", "lavapipe", "swiftshader"];
/// Where the kernel shows a graphics device.
const DEVICES: &[&str] = &["/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/nvidiactl", "/dev/dxg"];

/// The loader and the drivers it would find. Looks at files only: a driver that crashes when it
/// is loaded must not take this program with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vulkan {
    pub loader: Option<PathBuf>,
    /// Descriptions of drivers whose library exists.
    pub drivers: Vec<PathBuf>,
    pub device: bool,
    /// The environment names the drivers: installing others would change nothing.
    pub chosen: bool,
}

/// Where to look; a value, so that tests bring their own.
struct Places {
    libraries: Vec<PathBuf>,
    /// Folders of driver descriptions.
    drivers: Vec<PathBuf>,
    /// Descriptions named one by one, which then are the only ones.
    named: Option<Vec<PathBuf>>,
    devices: Vec<PathBuf>,
}

impl Vulkan {
    pub fn find() -> Vulkan {
        Places::of_this_machine().search()
    }

    /// Whether a picture can be expected: a hardware driver counts where there is a device.
    pub fn draws(&self) -> bool {
        self.loader.is_some() && self.drivers.iter().any(|driver| self.device || is_software(driver))
    }

    pub fn describe(&self) -> String {
        let names: Vec<_> =
            self.drivers.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy()).collect();
        match (&self.loader, names.is_empty()) {
            (None, _) => format!("no loader ({LOADER})"),
            (Some(_), true) if self.chosen => "no driver among those in VK_DRIVER_FILES or VK_ICD_FILENAMES".to_owned(),
            (Some(_), true) => "no driver".to_owned(),
            (Some(_), false) if !self.draws() => format!("no device for {}", names.join(", ")),
            (Some(_), false) => names.join(", "),
        }
    }
}

fn is_software(driver: &Path) -> bool {
    let name = driver.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    SOFTWARE.iter().any(|part| name.contains(part))
}

impl Places {
    fn of_this_machine() -> Places {
        let libraries = [
            format!("/usr/lib/{}-linux-gnu", env::consts::ARCH),
            format!("/lib/{}-linux-gnu", env::consts::ARCH),
            "/usr/lib64".into(),
            "/lib64".into(),
            "/usr/local/lib".into(),
            "/usr/lib".into(),
            "/lib".into(),
            "/run/opengl-driver/lib".into(),
        ];
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let config = paths("XDG_CONFIG_HOME").unwrap_or_else(|| vec![home.join(".config")]);
        let data = paths("XDG_DATA_HOME").unwrap_or_else(|| vec![home.join(".local/share")]);
        let shared = paths("XDG_DATA_DIRS").unwrap_or_else(|| vec!["/usr/local/share".into(), "/usr/share".into()]);
        let system = ["/etc".into(), "/usr/share".into(), "/run/opengl-driver/share".into()];
        let mut drivers: Vec<PathBuf> = config
            .into_iter()
            .chain(system)
            .chain(data)
            .chain(shared)
            .map(|folder| folder.join("vulkan/icd.d"))
            .collect();
        drivers.sort();
        drivers.dedup();
        Places {
            libraries: paths("LD_LIBRARY_PATH")
                .unwrap_or_default()
                .into_iter()
                .chain(libraries.map(PathBuf::from))
                .collect(),
            drivers,
            named: paths("VK_DRIVER_FILES").or_else(|| paths("VK_ICD_FILENAMES")),
            devices: DEVICES.iter().map(PathBuf::from).collect(),
        }
    }

    fn search(&self) -> Vulkan {
        let described = match &self.named {
            Some(named) => named.clone(),
            None => self.drivers.iter().flat_map(|folder| descriptions(folder)).collect(),
        };
        Vulkan {
            loader: self.library(Path::new(LOADER)),
            drivers: described.into_iter().filter(|description| self.has_library(description)).collect(),
            device: self.devices.iter().any(|device| device.exists()),
            chosen: self.named.is_some(),
        }
    }

    /// A description without its library is left over from a driver that is gone.
    fn has_library(&self, description: &Path) -> bool {
        let Some(library) = library_path(description) else { return false };
        if library.components().count() == 1 {
            return self.library(&library).is_some();
        }
        // Relative to the description; an absolute path replaces the folder.
        description.parent().is_some_and(|folder| folder.join(library).exists())
    }

    fn library(&self, name: &Path) -> Option<PathBuf> {
        self.libraries.iter().map(|folder| folder.join(name)).find(|path| path.exists())
    }
}

fn library_path(description: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(description).ok()?;
    let json: Value = serde_json::from_str(&text).ok()?;
    json["ICD"]["library_path"].as_str().map(PathBuf::from)
}

fn descriptions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    found.sort();
    found
}

/// A list of paths from the environment; none where the variable is unset or empty.
fn paths(variable: &str) -> Option<Vec<PathBuf>> {
    let value = env::var_os(variable).filter(|value| !value.is_empty())?;
    Some(env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine in a throw-away folder: `lib/`, `icd.d/` and perhaps `dev/card`.
    struct Sample(tempfile::TempDir);

    impl Sample {
        fn new() -> Sample {
            let root = tempfile::tempdir().unwrap();
            for folder in ["lib", "icd.d", "dev"] {
                fs::create_dir_all(root.path().join(folder)).unwrap();
            }
            Sample(root)
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn file(&self, path: &str, text: &str) -> PathBuf {
            fs::write(self.at(path), text).unwrap();
            self.at(path)
        }

        fn driver(&self, name: &str, library: &str) -> PathBuf {
            self.file(&format!("icd.d/{name}.json"), &format!(r#"{{"ICD":{{"library_path":"{library}"}}}}"#))
        }

        fn places(&self) -> Places {
            Places {
                libraries: vec![self.at("lib")],
                drivers: vec![self.at("icd.d"), self.at("absent")],
                named: None,
                devices: vec![self.at("dev/card")],
            }
        }
    }

    #[test]
    fn software_draws_without_a_device_and_hardware_only_with_one() {
        let sample = Sample::new();
        sample.file("lib/libvulkan.so.1", "");
        sample.file("lib/libcard.so", "");
        let card = sample.driver("card", "libcard.so");
        assert!(!sample.places().search().draws());
        assert!(sample.places().search().describe().starts_with("no device"));
        sample.file("dev/card", "");
        assert_eq!(sample.places().search().drivers, [card]);
        assert!(sample.places().search().draws());
        fs::remove_file(sample.at("dev/card")).unwrap();
        sample.file("icd.d/soft.so", "");
        sample.driver("lvp_icd.x86_64", "./soft.so");
        assert!(sample.places().search().draws());
    }

    #[test]
    fn a_driver_without_its_library_or_without_a_loader_draws_nothing() {
        let sample = Sample::new();
        sample.driver("lvp", "/no/such/library.so");
        sample.file("icd.d/swiftshader.json", "not json");
        assert_eq!(sample.places().search().drivers, Vec::<PathBuf>::new());
        let library = sample.file("lib/lvp.so", "");
        sample.driver("lvp", library.to_str().unwrap());
        let found = sample.places().search();
        assert_eq!((found.drivers.len(), found.loader.is_some(), found.draws()), (1, false, false));
    }

    #[test]
    fn drivers_named_in_the_environment_are_the_only_ones() {
        let sample = Sample::new();
        sample.file("lib/libvulkan.so.1", "");
        sample.file("lib/a.so", "");
        sample.driver("lvp", "a.so");
        let mut places = sample.places();
        places.named = Some(vec![sample.at("icd.d/other.json")]);
        let found = places.search();
        assert!(!found.draws() && found.chosen && found.describe().contains("VK_DRIVER_FILES"));
    }
}
