package dev.sluice.outbox.relay;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/** The clocks a relay reads: the wall's for retries and latencies, the elapsed time for the rest. */
record RelayTime(InstantSource wall, LongSupplier elapsed) {
    static final RelayTime REAL = new RelayTime(InstantSource.system(), System::nanoTime);
}
