package dev.sluice.gateway.web;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts connections: all, and those of each address. Any thread may call. */
final class Seats {
    private final int most;
    private final int mostOfOne;
    private final Map<String, Integer> byAddress = new HashMap<>();
    private int taken;

    Seats(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** To be given back, once. */
    final class Seat implements AutoCloseable {
        private final String address;
        private final AtomicBoolean left = new AtomicBoolean();

        private Seat(String address) {
            this.address = address;
        }

        @Override
        public void close() {
            if (left.compareAndSet(false, true)) {
                free(address);
            }
        }
    }

    synchronized Seat take(String address) throws RefusedException {
        if (taken >= most) {
            throw RefusedException.busy("this server has all the connections it takes (" + most + "): try again later");
        }
        if (byAddress.getOrDefault(address, 0) >= mostOfOne) {
            throw RefusedException.busy("your address has all the connections it may have (" + mostOfOne + ")");
        }
        taken++;
        byAddress.merge(address, 1, Integer::sum);
        return new Seat(address);
    }

    private synchronized void free(String address) {
        taken--;
        byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    synchronized int taken() {
        return taken;
    }
}
