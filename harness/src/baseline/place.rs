//! Where a baseline is written.

use aftermath_reports::files::WriteError;
use std::path::{Path, PathBuf};

/// The folder, which is made if it is missing, and the name. A link stays one: the file that it
/// leads to is what is written.
pub(super) fn of(path: &Path) -> Result<(PathBuf, String), WriteError> {
    let fail = |what: String| WriteError { file: path.to_path_buf(), what };
    let path = path.canonicalize().unwrap_or(path.to_path_buf());
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| fail("is not the name of a file".into()))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| fail(format!("its folder cannot be made: {error}")))?;
    Ok((folder.to_path_buf(), name.to_string()))
}
