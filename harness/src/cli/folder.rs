//! The folder that a command writes into: made and tried before hours of work, not after.

use crate::journal::is_of_campaign;
use aftermath_reports::files::can_write;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder, and which of the folders above it had to be made for it.
pub struct Folder {
    /// The innermost first.
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
        let tried = fs::create_dir_all(dir)
            .map_err(|error| failed(error.to_string()))
            .and_then(|()| can_write(dir).map_err(|error| failed(error.what)));
        match tried {
            Ok(()) => Ok(folder),
            Err(message) => {
                folder.undo();
                Err(message)
            }
        }
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

    /// Removes what was made, as far as nothing is in it: nothing is written there.
    pub fn undo(self) {
        for dir in self.made {
            let _ = fs::remove_dir(dir);
        }
    }
}
