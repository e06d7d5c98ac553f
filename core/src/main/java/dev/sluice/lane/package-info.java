/**
 * Lanes to gateways. In: matches of all partitions ({@link dev.sluice.lane.Lane#add}). Out: batches to one gateway, in order, each
 * repeated until every event of it is acknowledged or a dead letter; the partition hears of it through
 * {@link dev.sluice.lane.Sender}. {@link dev.sluice.lane.Lanes} has the lane of each gateway that is known, and says which of them
 * serves a delivery group now ({@link dev.sluice.lane.Router}: its own gateway, the hash ring, or broadcast).
 *
 * <p>A {@link dev.sluice.lane.Lane} is bounded queues ({@code LaneQueues}, {@code ClassQueue}), of which each partition has a
 * share ({@code LaneRoom}), what it sends next ({@code LaneDispatch}), what waits for the renewal of the lease
 * ({@code LeaseHold}), batches under way ({@code Shipment}), one try at one ({@code Attempt}), what becomes of its deliveries
 * ({@code LaneSettlement}), and the way to the gateway ({@code GatewayLink}, with its breaker). A
 * {@link dev.sluice.deliver.Deliverer} ends every attempt within its timeout; a lane has no clock for that.
 * {@link dev.sluice.lane.DeadLetters} is a port; the module rocksdb stores them. A lane knows nothing of logs and cursors.
 *
 * <p>Depends on: model, deliver, subscribe, run.
 */
@NullMarked
package dev.sluice.lane;

import org.jspecify.annotations.NullMarked;
