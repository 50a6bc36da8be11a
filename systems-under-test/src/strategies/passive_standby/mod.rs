//! **Passive standby** (process pairs with checkpoints).
//!
//! Source: Hwang et al., ICDE 2005.
//!
//! Idea: every M the primary sends its standby what changed in the operator's state, together
//! with the input positions that the state has absorbed. Only when the standby has confirmed a
//! checkpoint may upstream forget the inputs it covers. When the primary dies, the standby
//! continues from the last checkpoint and asks upstream to send again from there.
//!
//! A checkpoint that the storage refuses was never taken: it is neither confirmed nor applied, and
//! the next one is full.
//!
//! Claims: exactly once with deduplication at the receivers, repeating duplicates without, for
//! every deterministic operator; nothing for arbitrary ones, whose re-computation may differ.
//!
//! Costs: state bytes per M (every entry that changed), one confirmation, acknowledgement and trim
//! per M and hop; the shipped output log, if any.
//!
//! Cannot survive: a second failure of the pair before a returning standby has been sent a full
//! checkpoint; failures of two neighbouring operators within one repair time, unless the output
//! log is shipped (`ship_output_log = "resend"`): a checkpoint alone forgets outputs that the
//! neighbour, set back too, will ask for, and outputs that are still in the queue of a link when
//! the standby takes over.

mod replica;

use super::{Demand, Entry, Strategy};
use crate::blocks::Membership;
use crate::claim::{Answer, Claim, Situation};
use crate::context::Cx;
use crate::node::Node;
use crate::operator::OperatorClass;
use crate::options::{OptionDoc, OptionKind, Options};
use crate::plan::{Feed, Plan};
use crate::planted_bugs::Bug;
use crate::points::{CHECKPOINTS, PAIR_COMPLETE, REFUSED};
use crate::protocol::{Nanos, NodeId};
use replica::Replica;

/// The strategy's line in the list.
pub const ENTRY: Entry = Entry {
    name: "passive-standby",
    summary: "a primary sends checkpoints to a standby, which continues from the last one",
    options: &[
        OptionDoc {
            name: "store_at",
            kind: OptionKind::Choice(&["secondary", "primary"]),
            default: "secondary",
            doc: "which machine's storage a checkpoint must reach: the primary's before it is sent, or the standby's after it arrived",
        },
        OptionDoc {
            name: "ship_output_log",
            kind: OptionKind::Choice(&["no", "resend"]),
            default: "no",
            doc: "whether checkpoints carry the outputs that downstream may still ask for, to be sent again after a take-over",
        },
        OptionDoc {
            name: "ack_phase",
            kind: OptionKind::Duration,
            default: "",
            doc: "how much later than checkpoints the acknowledgements on this operator's edges come; drawn if not set",
        },
    ],
    points: &[Membership::POINTS, PAIR_COMPLETE, CHECKPOINTS, REFUSED],
    build: |options| Box::new(PassiveStandby::new(options)),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum StoreAt {
    Primary,
    Secondary,
}

#[derive(Clone, Copy)]
struct PassiveStandby {
    store_at: StoreAt,
    ship_output_log: bool,
    ack_phase: Option<Nanos>,
}

impl PassiveStandby {
    fn new(options: &Options) -> PassiveStandby {
        let primary = options.choice("store_at") == "primary";
        PassiveStandby {
            store_at: if primary { StoreAt::Primary } else { StoreAt::Secondary },
            ship_output_log: options.choice("ship_output_log") == "resend",
            ack_phase: options.duration("ack_phase"),
        }
    }
}

impl Strategy for PassiveStandby {
    fn input_demand(&self) -> Demand {
        Demand { feed: Feed::Primary, retain: true, ack: true, ack_phase: self.ack_phase }
    }

    fn output_demand(&self) -> Demand {
        let ship = self.ship_output_log;
        Demand { feed: Feed::Primary, retain: ship, ack: ship, ack_phase: self.ack_phase }
    }

    fn node(&self, plan: &Plan, me: NodeId) -> Box<dyn Node> {
        Box::new(Replica::new(&Cx { now: 0, me, plan }, *self))
    }

    fn spares_min(&self) -> u16 {
        1
    }

    fn trims_follow_saves(&self) -> bool {
        true
    }

    fn log_survives(&self) -> bool {
        self.ship_output_log
    }

    fn claim(&self, situation: &Situation) -> Answer {
        if situation.fault.loses_saves() {
            // Whoever comes back is sent a full checkpoint: nobody looks at a disk.
            return Answer::Claim(Claim::PRECISE);
        }
        let repair = situation.under_repair;
        if repair.own_pair || !situation.spare_left {
            return Answer::NotCovered("the pair was not complete");
        }
        let promised = situation.planted == Some(Bug::UnshippedLogPromised);
        if repair.upstream && !promised {
            return Answer::NotCovered("the neighbour upstream had lost what it had sent");
        }
        if repair.downstream && !self.ship_output_log && !promised {
            return Answer::NotCovered("a neighbour was under repair and no output log is shipped");
        }
        if situation.overtaken && !self.ship_output_log {
            return Answer::NotCovered("outputs on their way were overtaken by the successor");
        }
        if situation.class == OperatorClass::Arbitrary {
            return Answer::NotCovered("an arbitrary operator may re-compute differently");
        }
        Answer::Claim(Claim::repeating(situation))
    }
}
