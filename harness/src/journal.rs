//! The folder of a campaign that can be killed at any instant: what was planned is written first,
//! and each finished unit at once, as whole lines at the end of one file, in one call. What a kill
//! leaves behind is at most a torn last line, which is cut off.
//!
//! `campaign.json` says what the folder is of. `journal.jsonl` has the records in the order in
//! which they were finished; it goes when all are done and `records.jsonl` has them in order.

use crate::campaign::Finished;
use crate::hash::TraceHash;
use crate::joined::head;
use crate::manifest::{Manifest, Places};
use aftermath_reports::files::{jsonl, torn_of, write_whole};
use aftermath_reports::load;
use aftermath_reports::write::{RECORDS, is_file_of_report};
use fd_lock::RwLock;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A part of a campaign: this one, from 1, of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Whether a unit is in it. Units are dealt out in turn, so every shard has some of each case.
    pub fn has(self, unit: u32) -> bool {
        unit % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What the folder is of.
#[derive(Serialize, Deserialize)]
struct Plan {
    shard: Shard,
    /// Which program writes it: another build of it may have other strategies of the same names. It
    /// is in no record.
    #[serde(default)]
    build: Option<String>,
    campaign: Manifest,
}

/// A hash of the program that is running, unless it cannot be read.
fn build() -> Option<String> {
    let program = fs::read(std::env::current_exe().ok()?).ok()?;
    let mut hash = TraceHash::default();
    hash.write(&program);
    Some(format!("{:016x}", hash.finish()))
}

const PLAN: &str = "campaign.json";
const JOURNAL: &str = "journal.jsonl";

/// Whether a folder is that of a campaign, whose records nothing else may replace.
pub fn is_of_campaign(dir: &Path) -> bool {
    dir.join(PLAN).exists()
}

/// Opens the file by which one process keeps others out of a folder, which is made if it is
/// missing. In a folder that is not that of the campaign it is not made.
///
/// # Errors
/// When it cannot be made.
pub fn lock_of(dir: &Path, campaign: &Manifest, shard: Shard) -> Result<RwLock<File>, String> {
    let path = dir.join("campaign.lock");
    if !path.exists() {
        admits(dir, campaign, shard)?;
    }
    let made = fs::create_dir_all(dir)
        .and_then(|()| OpenOptions::new().create(true).truncate(false).write(true).open(&path));
    made.map(RwLock::new).map_err(|e| format!("cannot write to {}: {e}", dir.display()))
}

/// The records of a campaign as they are finished.
pub struct Journal {
    dir: PathBuf,
    /// Where the records are.
    path: PathBuf,
    /// Which runs are done.
    done: Vec<bool>,
    /// Open for appending; why it cannot be written any more.
    file: Mutex<(File, Option<String>)>,
}

impl Journal {
    /// Begins a campaign in a folder, or goes on with it. Hold the folder's lock.
    ///
    /// # Errors
    /// A folder of another campaign or of anything else; files that cannot be read or written.
    pub fn open(dir: &Path, campaign: &Manifest, shard: Shard) -> Result<Journal, String> {
        let failed = |e: io::Error| format!("cannot write to {}: {e}", dir.display());
        if !admits(dir, campaign, shard)? {
            let plan = Plan { shard, build: build(), campaign: campaign.clone() };
            let text = serde_json::to_string(&plan).expect("a plan has only string keys");
            write_whole(&dir.join(PLAN), &(text + "\n")).map_err(failed)?;
        }
        remove_torn(dir).map_err(failed)?;
        let (journal, records) = (dir.join(JOURNAL), dir.join(RECORDS));
        // Of a campaign that is done there are only the records.
        let path = if !journal.exists() && records.exists() { records } else { journal };
        if !path.exists() {
            write_whole(&path, &(head(campaign) + "\n")).map_err(failed)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).open(&path).map_err(failed)?;
        cut_torn_line(&mut file).map_err(failed)?;
        let (done, has_head) = done(&path, campaign)?;
        if !has_head {
            // Somebody has cut it off; without, nobody knows what is expected of the runs.
            file.write_all((head(campaign) + "\n").as_bytes()).map_err(failed)?;
        }
        Ok(Journal { dir: dir.to_path_buf(), path, done, file: Mutex::new((file, None)) })
    }

    /// The file with the records.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether all runs from one number up to another are done.
    pub fn has(&self, runs: std::ops::Range<u64>) -> bool {
        self.done[runs.start as usize..runs.end as usize].iter().all(|done| *done)
    }

    /// How many runs were done when the folder was opened.
    pub fn done(&self) -> u64 {
        self.done.iter().filter(|done| **done).count() as u64
    }

    /// Writes what a unit gave. Whether it could be written; if not, [`Journal::failure`] says why.
    pub fn append(&self, finished: &Finished) -> bool {
        let lines = jsonl(&finished.0);
        let mut file = self.file.lock().expect("no run panicked");
        if file.1.is_none() {
            let shown = self.path.display();
            file.1 = match file.0.write_all(lines.as_bytes()) {
                Err(error) => Some(format!(
                    "cannot write to {shown}: {error}; what is done is kept, and the same command \
                     goes on"
                )),
                // It can be written to, and nobody would ever read it.
                Ok(()) if !self.path.exists() => {
                    Some(format!("{shown} has been removed; the same command begins again"))
                }
                Ok(()) => None,
            };
        }
        file.1.is_none()
    }

    /// Why the journal could not be written any more.
    pub fn failure(&self) -> Option<String> {
        self.file.lock().expect("no run panicked").1.clone()
    }

    /// Removes the journal: the records are elsewhere, in order.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn finish(self) -> Result<(), String> {
        let path = self.dir.join(JOURNAL);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {e}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a folder is that of the campaign; if not, it may become it. Nothing is changed.
///
/// # Errors
/// A folder of another campaign or of anything else.
fn admits(dir: &Path, campaign: &Manifest, shard: Shard) -> Result<bool, String> {
    let (path, shown) = (dir.join(PLAN), dir.display());
    let help = "give another --out, or delete the folder";
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if [JOURNAL, RECORDS].iter().any(|name| dir.join(name).exists()) {
                return Err(format!("{shown} has records of something else; {help}"));
            }
            return Ok(false);
        }
        // What stands below something else than a folder is told where it is made.
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => return Ok(false),
        Err(e) => return Err(format!("cannot read {}: {e}; {help}", path.display())),
    };
    let plan: Plan = serde_json::from_str(&text).map_err(|e| {
        format!("{} was not written by this version of aftermath: {e}; {help}", path.display())
    })?;
    let mut differences = plan.campaign.differences(campaign);
    if let (Some(there), Some(here)) = (&plan.build, build())
        && *there != here
    {
        differences.push(
            "the program: the runs there were made by another build of it, whose strategies may \
             be others"
                .to_string(),
        );
    }
    if plan.shard != shard {
        differences.push(format!("shard: {} there, {shard} now", plan.shard));
    }
    if differences.is_empty() {
        return Ok(true);
    }
    let list: String = differences.iter().map(|what| format!("\n  {what}")).collect();
    Err(format!("{shown} is the folder of another campaign; {help}:{list}"))
}

/// Whether a file is one of ours that is not whole; others may have such names too.
fn is_torn(name: &str) -> bool {
    torn_of(name).is_some_and(|whole| [PLAN, JOURNAL].contains(&whole) || is_file_of_report(whole))
}

/// Removes what a process that was killed had not yet given its name.
fn remove_torn(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_torn(&name.to_string_lossy()) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Cuts off what stands behind the last end of a line.
fn cut_torn_line(file: &mut File) -> io::Result<()> {
    const STEP: u64 = 64 << 10;
    let length = file.metadata()?.len();
    let mut end = length;
    while end > 0 {
        let from = end.saturating_sub(STEP);
        let mut bytes = vec![0; (end - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            let whole = from + at as u64 + 1;
            return if whole < length { file.set_len(whole) } else { Ok(()) };
        }
        end = from;
    }
    file.set_len(0)
}

/// Which runs have a record, and whether the campaign's head is there.
fn done(path: &Path, campaign: &Manifest) -> Result<(Vec<bool>, bool), String> {
    let places = Places::of(campaign);
    let mut done = vec![false; campaign.runs() as usize];
    let mut has_head = false;
    let read = load::each_line(path, |_, line| {
        if let Some(planned) = load::planned(line) {
            let here = serde_json::from_str::<Manifest>(planned);
            if here.map_err(|e| format!("not the head of a campaign: {e}"))? != *campaign {
                return Err("the head of another campaign".to_string());
            }
            has_head = true;
        } else {
            let record = load::record(line)?;
            let (run, _) = places.find(&record).ok_or("not a run of this campaign")?;
            done[run as usize] = true;
        }
        Ok(())
    });
    read.map_err(|error| format!("{error}; delete that line, and what it had is made again"))?;
    Ok((done, has_head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_have_in_the_folder_is_not_torn() {
        for ours in [".campaign.json.7.tmp", ".records.jsonl.4711.tmp", ".outputs-2.svg.1.tmp"] {
            assert!(is_torn(ours), "{ours}");
        }
        let others = [".mine.tmp", ".mine.7.tmp", "records.jsonl.7.tmp", ".records.jsonl.x.tmp"];
        for other in others {
            assert!(!is_torn(other), "{other}");
        }
    }
}
