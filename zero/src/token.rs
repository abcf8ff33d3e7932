use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::ProgramError;
use crate::lock::{read_text, state_dir};

const TOKEN_HEX_DIGITS: usize = 64;

/// The secret that an HTTP caller of a world shows. It lives in `.zero/token`, readable by
/// its owner only, and outlives the process, so that a client is set up once.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The world's token; made anew when there is none, when its file is not one we wrote,
    /// or when others could have read it. Called by the process that owns the world.
    pub fn load_or_create(world: &Path) -> Result<Token, ProgramError> {
        let path = state_dir(world).join("token");
        if let Ok(true) = is_private_file(&path)
            && let Ok(token) = Token::read(&path)
        {
            return Ok(token);
        }
        let token = Token::random();
        token.write(&path).map_err(|source| ProgramError::File { path, source })?;
        Ok(token)
    }

    /// Reads the token of a world that another process owns.
    pub fn read(path: &Path) -> Result<Token, ProgramError> {
        let failed = |source| ProgramError::File { path: path.to_owned(), source };
        let text = read_text(path).map_err(failed)?;
        let text = text.trim_end();
        if text.len() == TOKEN_HEX_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Token(text.to_owned()));
        }
        Err(failed(io::Error::new(io::ErrorKind::InvalidData, "it does not hold a token")))
    }

    pub fn random() -> Token {
        let mut bytes = [0; TOKEN_HEX_DIGITS / 2];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        let mut text = String::with_capacity(TOKEN_HEX_DIGITS);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Token(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is this token, in a time that does not tell how much of it matches.
    pub fn matches(&self, shown: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let difference = own.iter().zip(shown).fold(0, |sum, (a, b)| std::hint::black_box(sum | (a ^ b)));
        own.len() == shown.len() && difference == 0
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let fresh = path.with_extension("new");
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        writeln!(file, "{}", self.0)?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(unix)]
fn is_private_file(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::symlink_metadata(path)?;
    Ok(metadata.is_file() && metadata.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private_file(path: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(path)?.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> tempfile::TempDir {
        let world = tempfile::tempdir().unwrap();
        fs::create_dir_all(state_dir(world.path())).unwrap();
        world
    }

    #[test]
    fn lasts_between_owners_and_compares_whole() {
        let world = world();
        let token = Token::load_or_create(world.path()).unwrap();
        let again = Token::load_or_create(world.path()).unwrap();
        assert_eq!(token.as_str(), again.as_str());
        assert_eq!(Token::read(&state_dir(world.path()).join("token")).unwrap().as_str(), token.as_str());
        assert!(token.matches(again.as_str().as_bytes()));
        assert!(!token.matches(&again.as_str().as_bytes()[1..]));
        assert!(!token.matches(b""));
        assert!(!token.matches(format!("{}0", again.as_str()).as_bytes()));
        assert!(!token.matches(Token::random().as_str().as_bytes()));
        assert!(!format!("{token:?}").contains(token.as_str()));
    }

    #[cfg(unix)]
    #[test]
    fn is_readable_by_its_owner_only_and_replaced_when_it_was_not() {
        use std::os::unix::fs::PermissionsExt;
        let world = world();
        let path = state_dir(world.path()).join("token");
        let token = Token::load_or_create(world.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let replaced = Token::load_or_create(world.path()).unwrap();
        assert_ne!(token.as_str(), replaced.as_str());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, "not a token").unwrap();
        assert!(Token::read(&path).is_err());
        assert_eq!(Token::load_or_create(world.path()).unwrap().as_str().len(), TOKEN_HEX_DIGITS);
    }
}
