use std::fs;
use std::thread;

/// The processor and how many threads this process may use: without it a figure means nothing.
pub fn describe() -> String {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text));
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {threads} threads, {}", std::env::consts::OS)
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_processor_is_named() {
        let text = "processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\n";
        assert_eq!(super::model_name(text).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(super::model_name(""), None);
    }
}
