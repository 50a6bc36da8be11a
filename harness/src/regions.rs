//! Which operators are coordinated together, and what their coordinators are called: scenarios name
//! them before there is a plan.

use aftermath_systems::pipelines::Topology;

/// The maximal connected sets of vertices that are coordinated, as indexes of vertices.
pub fn regions(topology: &Topology, coordinated: &[bool]) -> Vec<Vec<usize>> {
    let find = |name: &str| topology.vertices.iter().position(|vertex| vertex.name == name);
    // Each is in a region of its own, until regions that touch are merged under the smaller number.
    let mut region: Vec<usize> = (0..topology.vertices.len()).collect();
    for _ in 0..topology.vertices.len() {
        for connection in &topology.connections {
            let (Some(a), Some(b)) = (find(connection.from), find(connection.to)) else { continue };
            if coordinated[a] && coordinated[b] {
                let merged = region[a].min(region[b]);
                (region[a], region[b]) = (merged, merged);
            }
        }
    }
    let of = |first: usize| -> Vec<usize> {
        let inside = |vertex: &usize| coordinated[*vertex] && region[*vertex] == first;
        (0..region.len()).filter(inside).collect()
    };
    (0..region.len()).map(of).filter(|region| !region.is_empty()).collect()
}

/// The name of the coordinator of a region.
pub fn coordinator_name(region: usize) -> String {
    if region == 0 { "coordinator".to_string() } else { format!("coordinator-{region}") }
}
