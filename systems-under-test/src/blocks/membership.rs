//! Roles are a protocol, not a table: who leads an instance, who stands by, how a host that comes
//! back finds out. The same for every strategy with spares.
//!
//! * A primary shows life to its peers every H. A standby suspects when more than K·H have passed
//!   without, when the connection closes, or when the primary says hello: its memory is gone.
//! * A suspecting standby activates (the world charges the redirect), takes the next term that is
//!   its own and announces itself to every replica of every neighbour.
//! * A host that comes back knows nothing. It says hello to its peers and neighbours and follows
//!   whoever leads, so the pair exists again; if nobody answers in time, it leads.
//! * Who learns of a larger term than its own while leading has been deposed: it restarts.

use super::Ports;
use crate::context::Cx;
use crate::planted_bugs::Bug;
use crate::points::Point;
use crate::protocol::{Effects, Event, Link, NodeId, Positions, RestartFrom, Term, TimerId};

/// Time-out of the failure detector.
const WATCH: TimerId = TimerId(0x7001);
/// Time-out of waiting for an answer to a hello.
const JOIN: TimerId = TimerId(0x7002);

/// What a replica is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Primary,
    Standby,
    /// Back without memory, asking around.
    Joining,
}

/// What an event did to the roles, for the strategy to act upon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// We lead from the start of the run.
    Leads,
    /// We have taken over, in this term: announce it.
    TookOver(Term),
    /// We follow this primary now, and know nothing of its state.
    Follows(NodeId),
    /// We lead, and this replica wants to be our standby.
    Joined(NodeId),
}

/// The role of one replica.
#[derive(Clone)]
pub struct Membership {
    role: Role,
    term: Term,
    primary: NodeId,
    /// Suspected, and waiting for the activation.
    activating: bool,
    incarnation: u32,
    /// The newest incarnation of each peer that has said hello to us.
    heard: Vec<(NodeId, u32)>,
}

impl Membership {
    /// The points that every replica with a membership can reach.
    pub const POINTS: &[Point] = &[
        Point::of_replicas("suspected", "the standby has missed its primary and is activating"),
        Point::of_replicas("took-over", "a replica leads from now on and announces itself"),
        Point::of_replicas("deposed", "a leader has learnt of its successor and starts again"),
    ];

    /// Before the process has started.
    pub fn new(cx: &Cx) -> Membership {
        let primary = cx.plan.instance(cx.instance()).replicas[0];
        Membership {
            role: Role::Joining,
            term: 1,
            primary,
            activating: false,
            incarnation: 0,
            heard: Vec::new(),
        }
    }

    /// Our term if we lead.
    pub fn leads(&self) -> Option<Term> {
        (self.role == Role::Primary).then_some(self.term)
    }

    /// The primary of our instance, as far as we know.
    pub fn primary(&self) -> NodeId {
        self.primary
    }

    /// Our own incarnation; 0 before the process has started.
    pub fn incarnation(&self) -> u32 {
        self.incarnation
    }

    /// The newest incarnation of a peer that has said hello to us; 0 if none has.
    pub fn heard(&self, peer: NodeId) -> u32 {
        self.heard.iter().find(|(node, _)| *node == peer).map_or(0, |(_, newest)| *newest)
    }

    /// Whether no change of roles is under way here.
    pub fn settled(&self) -> bool {
        self.role != Role::Joining && !self.activating
    }

    /// Handles what concerns the roles; the strategy sees the event afterwards all the same.
    pub fn on(&mut self, cx: &Cx, event: &Event, fx: &mut Effects) -> Change {
        match event {
            Event::Started { incarnation, .. } => self.start(cx, *incarnation, fx),
            Event::Activated => self.lead(cx, fx),
            Event::ConnectionLost(node) if *node == self.primary => self.suspect(fx),
            Event::Timer(WATCH) => self.suspect(fx),
            Event::Timer(JOIN) if self.role == Role::Joining => self.lead(cx, fx),
            Event::Link { from, link } => self.on_link(cx, *from, link, fx),
            _ => Change::None,
        }
    }

    fn start(&mut self, cx: &Cx, incarnation: u32, fx: &mut Effects) -> Change {
        self.incarnation = incarnation;
        let replica = cx.plan.node(cx.me).replica;
        if incarnation == 1 || (replica == 0 && cx.planted(Bug::StaticRole)) {
            self.role = if replica == 0 { Role::Primary } else { Role::Standby };
            if self.role == Role::Primary {
                fx.heartbeats(cx.peers().collect(), self.term);
                return Change::Leads;
            }
            fx.timer(WATCH, cx.now + cx.plan.settings.first_suspect_after());
            return Change::None;
        }
        // Whoever restarted itself may still be announced as alive.
        fx.heartbeats(Vec::new(), 0);
        Ports::hello(cx, incarnation, fx);
        self.wait_for_answer(cx, fx);
        Change::None
    }

    fn on_link(&mut self, cx: &Cx, from: NodeId, link: &Link, fx: &mut Effects) -> Change {
        let mine = cx.instance();
        match link {
            Link::Heartbeat { term } if *term >= self.term => match self.role {
                Role::Primary if *term > self.term => self.deposed(fx),
                Role::Primary => Change::None,
                // Whoever leads has been told hello and will answer, however long that takes.
                Role::Joining => {
                    self.wait_for_answer(cx, fx);
                    Change::None
                }
                Role::Standby => {
                    self.term = *term;
                    self.watch(cx, fx);
                    Change::None
                }
            },
            Link::Takeover { instance, node, term, .. } if *instance == mine => match self.role {
                _ if *term <= self.term && self.role != Role::Joining => Change::None,
                Role::Primary => self.deposed(fx),
                Role::Standby | Role::Joining => self.ask(cx, *node, *term, fx),
            },
            Link::Hello { instance, incarnation } if *instance == mine => {
                // What it has said before may come again.
                if *incarnation <= self.heard(from) {
                    return Change::None;
                }
                match self.role {
                    Role::Primary => {
                        self.hear(from, *incarnation);
                        let yours = (self.term, cx.me);
                        let (term, next) = (self.term, Positions::default());
                        let (instance, answers) = (mine, *incarnation);
                        let incarnation = self.incarnation;
                        let link =
                            Link::Welcome { instance, term, answers, incarnation, yours, next };
                        fx.link(from, link);
                        Change::Joined(from)
                    }
                    Role::Standby if from == self.primary => self.suspect(fx),
                    Role::Standby | Role::Joining => Change::None,
                }
            }
            Link::Welcome { answers, .. } if *answers != self.incarnation => Change::None,
            Link::Welcome { instance, term, incarnation, .. } if *instance == mine => {
                // Who has been answered has asked nothing more.
                if self.role != Role::Joining || *term < self.term {
                    return Change::None;
                }
                self.role = Role::Standby;
                self.primary = from;
                self.term = *term;
                // A hello that it has said before is old.
                self.hear(from, *incarnation);
                self.watch(cx, fx);
                Change::Follows(from)
            }
            // A neighbour's answer tells the term after which we must come, should we lead; or that
            // somebody leads who has not heard of us, nor we of it.
            Link::Welcome { yours: (term, _), .. } if *term > self.term => match self.role {
                Role::Primary => self.deposed(fx),
                Role::Standby | Role::Joining => {
                    self.term = *term;
                    Change::None
                }
            },
            _ => Change::None,
        }
    }

    /// We have heard who leads, but not from its answer: say hello to it, so that it knows us.
    fn ask(&mut self, cx: &Cx, primary: NodeId, term: Term, fx: &mut Effects) -> Change {
        self.role = Role::Joining;
        self.primary = primary;
        self.term = self.term.max(term);
        let hello = Link::Hello { instance: cx.instance(), incarnation: self.incarnation };
        fx.link(primary, hello);
        self.wait_for_answer(cx, fx);
        Change::None
    }

    fn hear(&mut self, peer: NodeId, incarnation: u32) {
        self.heard.retain(|(node, _)| *node != peer);
        self.heard.push((peer, incarnation));
    }

    /// Replicas that come back together must not both lead: the first waits least.
    fn wait_for_answer(&self, cx: &Cx, fx: &mut Effects) {
        let rank = 1 + u64::from(cx.plan.node(cx.me).replica);
        fx.timer(JOIN, cx.now + cx.plan.settings.join_after() * rank);
    }

    fn watch(&self, cx: &Cx, fx: &mut Effects) {
        fx.timer(WATCH, cx.now + cx.plan.settings.suspect_after());
    }

    fn suspect(&mut self, fx: &mut Effects) -> Change {
        if self.role == Role::Standby && !self.activating {
            self.activating = true;
            fx.mark("suspected");
            fx.activate();
        }
        Change::None
    }

    fn lead(&mut self, cx: &Cx, fx: &mut Effects) -> Change {
        self.role = Role::Primary;
        self.activating = false;
        self.term = next_term(cx, self.term);
        self.primary = cx.me;
        fx.heartbeats(cx.peers().collect(), self.term);
        fx.mark("took-over");
        Change::TookOver(self.term)
    }

    fn deposed(&mut self, fx: &mut Effects) -> Change {
        fx.mark("deposed");
        fx.restart(RestartFrom::Nothing);
        Change::None
    }
}

/// The next term that is ours. Replicas take turns, so that no two ever lead in one term, whatever
/// they have heard of each other: neither of two such leaders would be deposed.
fn next_term(cx: &Cx, after: Term) -> Term {
    let replicas = cx.plan.instance(cx.instance()).replicas.len() as Term;
    let mine = Term::from(cx.plan.node(cx.me).replica);
    // The first leads in term 1.
    let ours = |term: &Term| (term - 1) % replicas == mine;
    (after + 1..=after + replicas).find(ours).expect("every replica has its turn")
}
