/**
 * Other outbox libraries behind {@link dev.sluice.bench.OutboxUnderTest}. In: commands of the benchmark. Out: records in
 * Kafka. Depends on: those libraries, and of ours on that port alone; nothing depends on this.
 */
@NullMarked
package dev.sluice.bench.peers;

import org.jspecify.annotations.NullMarked;
