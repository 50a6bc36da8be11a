//! Whom a fault befalls: a machine, or the links between machines.

use super::super::diagnostic::suggest;
use super::super::item::Item;
use super::super::keys::faults as keys;
use super::super::table::Table;
use super::super::tree::Kind;
use super::Surroundings;
use crate::config::{FaultPlace, LinkEnd, Target};
use crate::regions::coordinator_name;
use aftermath_systems::pipelines::VertexRole;

/// Reads the machine that a fault befalls, or several.
pub fn node(what: &Table, around: &Surroundings) -> Option<FaultPlace> {
    what.require(&keys::NODE, "node = \"count/0/1\"", |item| match item.value.kind {
        Kind::Array(_) => nodes(item, around),
        _ => target(item, around).map(FaultPlace::Node),
    })
}

fn target(item: &Item, around: &Surroundings) -> Option<Target> {
    let LinkEnd { operator, instance, replica } = end(item, around, true)?;
    Some(Target { operator, instance: instance.unwrap_or(0), replica })
}

/// Several machines, each named once. A list of one is one.
fn nodes(item: &Item, around: &Surroundings) -> Option<FaultPlace> {
    let items = item.list()?;
    let help = || Some("name one, or several: node = [\"count/0/0\", \"format/0/0\"]".to_string());
    if items.is_empty() {
        item.error(format!("`{}` names no machine", item.path), help());
        return None;
    }
    let there_are = around.flow.map(|flow| {
        let of = |name| usize::from(flow.instances(name) * replicas(name, around));
        flow.tasks().map(of).sum::<usize>() + around.coordinators
    });
    if let Some(there_are) = there_are.filter(|there_are| *there_are < items.len()) {
        let message = format!("{} machines, and there are {there_are} that can fail", items.len());
        item.error(message, None);
        return None;
    }
    let mut targets: Vec<Target> = Vec::new();
    for item in &items {
        let target = target(item, around)?;
        let of_instance = |other: &&Target| {
            other.operator == target.operator && other.instance == target.instance
        };
        let same = |other: &&Target| {
            let both = (other.replica, target.replica);
            both.0 == both.1 || both.0.is_none() || both.1.is_none()
        };
        match targets.iter().filter(of_instance).find(same) {
            Some(other) if other.replica == target.replica => {
                item.error(format!("`{target}` is named twice"), help());
                return None;
            }
            Some(other) => {
                let message = format!("`{other}` and `{target}` may be the same machine");
                let help = "without a replica, whoever leads is meant: name the replicas";
                item.error(message, Some(help.to_string()));
                return None;
            }
            None => targets.push(target),
        }
    }
    match targets.len() {
        1 => targets.pop().map(FaultPlace::Node),
        _ => Some(FaultPlace::Nodes(targets)),
    }
}

/// Reads the links that a fault befalls: both ways between two ends, or one way.
pub fn links(what: &Table, around: &Surroundings) -> Option<FaultPlace> {
    let (between, from) = what.either(keys::BETWEEN.name, keys::FROM.name);
    let to = what.get(keys::TO.name);
    let mut place = None;
    match (between, from) {
        (Some(item), _) => {
            // A case that sets `between` displaces both keys of the file.
            if let Some(to) = to.filter(|to| !item.overrides || to.overrides) {
                to.key_error("`between` and `to` exclude each other", None);
                return None;
            }
            let ends = item.list()?;
            let [a, b] = ends.as_slice() else {
                let help = "between = [\"count/0/0\", \"count/0/1\"]".to_string();
                item.error("`between` takes two ends", Some(help));
                return None;
            };
            let (from, to) = (end(a, around, false), end(b, around, false));
            if let (Some(from), Some(to)) = (from, to) {
                place = linked(b, from, to, true, around);
            }
        }
        (None, Some(from)) => {
            let Some(to_item) = to else {
                let help = "a fault of one direction says from where and to where: \
                            from = \"source\", to = \"count\"";
                what.error(format!("`{}` has no `to`", what.path), Some(help.to_string()));
                return None;
            };
            let (from, to) = (end(&from, around, false), end(&to_item, around, false));
            if let (Some(from), Some(to)) = (from, to) {
                place = linked(&to_item, from, to, false, around);
            }
        }
        (None, None) => {
            if !["between", "from"].iter().any(|key| what.misspelt(key)) {
                let help = "write for example: between = [\"source\", \"count\"], or one way: \
                            from = \"source\", to = \"count\"";
                what.error(format!("`{}` has no ends", what.path), Some(help.to_string()));
            }
        }
    }
    place
}

/// The links between two ends, if there are any.
fn linked(
    item: &Item,
    from: LinkEnd,
    to: LinkEnd,
    both: bool,
    around: &Surroundings,
) -> Option<FaultPlace> {
    let (a, b) = (machines(&from, around), machines(&to, around));
    if a.len() == 1 && a == b {
        let message = format!("there is no link from `{from}` to `{to}`: they are one machine");
        let help = "name two machines, such as `count/0/0` and `count/0/1`";
        item.error(message, Some(help.to_string()));
        return None;
    }
    Some(FaultPlace::Link { from, to, both })
}

/// Which machines an end names: instance and replica, of its operator.
pub fn machines(end: &LinkEnd, around: &Surroundings) -> Vec<(String, u16, u16)> {
    let instances = around.flow.map_or(1, |flow| flow.instances(&end.operator));
    let all = (0..instances).flat_map(|instance| {
        (0..replicas(&end.operator, around)).map(move |replica| (instance, replica))
    });
    let named = all.filter(|(instance, replica)| {
        end.instance.is_none_or(|i| i == *instance) && end.replica.is_none_or(|r| r == *replica)
    });
    named.map(|(instance, replica)| (end.operator.clone(), instance, replica)).collect()
}

/// Machines as scenarios name them. `fails`: what befalls them is in the machine itself, which
/// sources and sinks are safe from.
pub fn end(item: &Item, around: &Surroundings, fails: bool) -> Option<LinkEnd> {
    let text = item.text()?;
    let mut parts = text.split('/');
    let operator = parts.next().unwrap_or_default();
    let numbers: Vec<Option<u16>> = parts.map(|part| part.parse().ok()).collect();
    let number = |index: usize| numbers.get(index).copied().flatten();
    let named = LinkEnd { operator: operator.to_string(), instance: number(0), replica: number(1) };
    // What follows is judged only where the pipeline is known.
    let flow = around.flow?;
    if operator.to_lowercase().starts_with("coord") && flow.role(operator).is_none() {
        return coordinator(item, named, &numbers, around);
    }
    match flow.role(operator) {
        None => {
            let message = format!("pipeline `{}` has no operator `{operator}`", flow.pipeline.name);
            let tasks = flow.tasks().filter(|_| fails);
            let all = flow.topology.vertices.iter().map(|v| v.name).filter(|_| !fails);
            let help = suggest(operator, tasks.chain(all), "operators");
            item.error(message, help);
            return None;
        }
        Some(VertexRole::Source | VertexRole::Sink) if fails => {
            let help = "a source is a durable log and a sink records delivery and position in one \
                        durable step: both survive process crashes by construction; that their \
                        machines are lost, slow or stand still is not modelled";
            item.error(format!("`{operator}` cannot fail"), Some(help.to_string()));
            return None;
        }
        Some(_) => {}
    }
    if numbers.len() > 2 || numbers.iter().any(Option::is_none) {
        let help = match fails {
            true => {
                "`count` (whoever leads), `count/1` (of instance 1) or `count/0/1` (instance \
                     0, replica 1)"
            }
            false => {
                "`count` (all machines), `count/1` (all of instance 1) or `count/0/1` \
                      (instance 0, replica 1)"
            }
        };
        item.error(format!("`{text}` names no node"), Some(help.to_string()));
        return None;
    }
    let instances = flow.instances(operator);
    if let Some(instance) = named.instance.filter(|instance| *instance >= instances) {
        let help = match instances {
            1 => "it has one instance, 0".to_string(),
            n => format!("its instances are 0 to {}", n - 1),
        };
        item.error(format!("`{operator}` has no instance {instance}"), Some(help));
        return None;
    }
    let replicas = replicas(operator, around);
    if let Some(replica) = named.replica.filter(|replica| *replica >= replicas) {
        let why = if replica > 1 {
            "there is at most one spare: replicas are 0 and 1"
        } else if around.spares == 0 {
            "there are no spares: `protection.spares` is 0"
        } else {
            "it is not protected and has no spare: see `pipeline.protect`"
        };
        item.error(format!("`{operator}` has no replica {replica}"), Some(why.to_string()));
        return None;
    }
    Some(named)
}

/// A coordinator, which has one replica and is there only where a strategy is coordinated.
fn coordinator(
    item: &Item,
    named: LinkEnd,
    numbers: &[Option<u16>],
    around: &Surroundings,
) -> Option<LinkEnd> {
    let names: Vec<String> = (0..around.coordinators).map(coordinator_name).collect();
    if names.is_empty() {
        let help = "coordinators belong to strategies such as `checkpoint-rollback`: let the case run \
                    under those only, with strategies = [\"checkpoint-rollback\"], or name them in \
                    `mixture`";
        item.error("no operator here has a coordinator", Some(help.to_string()));
        return None;
    }
    if !names.contains(&named.operator) {
        let help = suggest(&named.operator, names.iter().map(String::as_str), "coordinators");
        item.error(format!("there is no `{}`", named.operator), help);
        return None;
    }
    if numbers.iter().any(|number| *number != Some(0)) || numbers.len() > 2 {
        item.error(format!("`{}` has no other replica", named.operator), None);
        return None;
    }
    Some(named)
}

/// How many machines an instance of an operator has.
pub fn replicas(operator: &str, around: &Surroundings) -> u16 {
    let protected = around.flow.is_some_and(|f| f.protect.iter().any(|name| name == operator));
    if protected { 1 + around.spares } else { 1 }
}
