//! The folder that a command writes into: made and tried before hours of work, not after.

use crate::journal::is_of_campaign;
use aftermath_reports::files::can_write;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is written into. When it is dropped, what was made for it and is empty still goes.
#[must_use]
pub struct Folder {
    /// What was not there of it and the folders above it, the innermost first.
    made: Vec<PathBuf>,
}

impl Folder {
    /// A folder for files; what is in it stays, but for files of the same names.
    ///
    /// # Errors
    /// When it cannot be made or written to; a whole message.
    pub fn make(dir: &Path) -> Result<Folder, String> {
        let missing = |dir: &&Path| !dir.as_os_str().is_empty() && !dir.exists();
        let made = dir.ancestors().take_while(missing).map(Path::to_path_buf).collect();
        let folder = Folder { made };
        let failed = |error: String| format!("error: cannot write to {}: {error}\n", dir.display());
        if dir.metadata().is_ok_and(|there| !there.is_dir()) {
            return Err(failed("it is a file; name a folder".to_string()));
        }
        fs::create_dir_all(dir).map_err(|error| failed(error.to_string()))?;
        can_write(dir).map_err(|error| failed(error.what))?;
        Ok(folder)
    }

    /// A folder for a report.
    ///
    /// # Errors
    /// Those of [`Folder::make`]; the folder of a campaign.
    pub fn of_report(dir: &Path) -> Result<Folder, String> {
        if is_of_campaign(dir) {
            return Err(format!(
                "error: {} is the folder of a campaign, whose records this would replace; give \
                 another --out\n",
                dir.display()
            ));
        }
        Folder::make(dir)
    }

    /// The folder of a file. Of a device nothing is asked: it is written into, and not replaced.
    ///
    /// # Errors
    /// Those of [`Folder::make`].
    pub fn of_file(path: &Path) -> Result<Folder, String> {
        match path.metadata() {
            Ok(there) if !there.is_file() => Ok(Folder { made: Vec::new() }),
            _ => Folder::make(folder_of(path)),
        }
    }
}

/// In which folder a file is.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl Drop for Folder {
    fn drop(&mut self) {
        for dir in &self.made {
            // One in which something is stays, as it should.
            let _ = fs::remove_dir(dir);
        }
    }
}
