//! Numbers from logs: recovery times, overhead, series. Pure functions; no opinion about what is
//! good.

pub mod load;
pub mod overhead;
pub mod recovery;
pub mod series;
