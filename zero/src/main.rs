fn main() {
    std::process::exit(zero::run(std::env::args_os().collect()));
}
