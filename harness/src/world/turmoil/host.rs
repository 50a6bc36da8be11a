//! The task of one host, and the only asynchronous code: once a tick it takes what has arrived,
//! lets the machine do what is due, and sends what that made.

use super::Shared;
use super::wire::Handle;
use aftermath_systems::protocol::{Nanos, NodeId};
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;
use turmoil::net::UdpSocket;

const PORT: u16 = 1;

/// Runs the machine `me` for ever, or until turmoil drops the task.
pub async fn run(shared: Rc<Shared>, me: NodeId) -> turmoil::Result {
    let socket = socket(&shared, me).await?;
    let tick = Duration::from_nanos(shared.tick_ns);
    loop {
        let tick_end = tick_end(&shared);
        let mut handle = Handle::default();
        while socket.try_recv_from(&mut handle).is_ok() {
            arrive(&shared, me, handle, tick_end);
        }
        for (to, handle) in work(&shared, me, tick_end) {
            socket.try_send_to(&handle, (shared.addresses[to.index()], PORT))?;
        }
        sleep(tick).await;
    }
}

/// The machine's socket, bound when it is used first.
async fn socket(shared: &Shared, me: NodeId) -> std::io::Result<Rc<UdpSocket>> {
    if let Some(socket) = &shared.sockets.borrow()[me.index()] {
        return Ok(Rc::clone(socket));
    }
    let socket = Rc::new(UdpSocket::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?);
    shared.sockets.borrow_mut()[me.index()] = Some(Rc::clone(&socket));
    Ok(socket)
}

/// The end of the tick that is being run, ns. The first poll comes at 0 and handles what is due
/// then; one at a later tick handles all that is due since.
fn tick_end(shared: &Shared) -> Nanos {
    let elapsed = turmoil::sim_elapsed().expect("a host runs inside a simulation");
    let tick_end = elapsed.as_nanos() as Nanos;
    assert_eq!(tick_end % shared.tick_ns, 0, "hosts run at whole ticks");
    tick_end
}

/// Hands over a parcel. Frames may be early, and wait in the machine's agenda; one that was due in
/// a tick before is late.
fn arrive(shared: &Shared, me: NodeId, handle: Handle, tick_end: Nanos) {
    let machine = &mut shared.machines.borrow_mut().list[me.index()];
    shared.wire.borrow_mut().unpack(handle, me, |frame| {
        let late = tick_end > 0 && frame.due <= tick_end - shared.tick_ns;
        assert!(!late, "due in an earlier tick than {tick_end}: {frame:?}");
        machine.deliver(frame);
    });
}

/// Does what is due; returns the parcels to send.
fn work(shared: &Shared, me: NodeId, tick_end: Nanos) -> Vec<(NodeId, Handle)> {
    shared.polls.set(shared.polls.get() + 1);
    let machines = &mut shared.machines.borrow_mut();
    machines.list[me.index()].run_until(tick_end);
    machines.cross_early(tick_end);
    shared.wire.borrow_mut().pack(&mut machines.list[me.index()].outbox)
}
