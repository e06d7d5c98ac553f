package dev.sluice.stream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Who reads, connected or in this process, and how each of them fares. Any thread may look. */
public final class ConsumersView {
    private final Map<Long, Supplier<ConsumerStatus>> consumers = new ConcurrentSkipListMap<>();
    private final Map<Long, Supplier<ConsumerStatus>> inProcess = new ConcurrentSkipListMap<>();
    private final AtomicLong calls = new AtomicLong();
    private final int most;

    /** @param most how many may be connected at a time */
    public ConsumersView(int most) {
        this.most = most;
    }

    /** A number for a new call. */
    public long nextCall() {
        return calls.incrementAndGet();
    }

    /** Lists the call; false when there are too many already. */
    public synchronized boolean admit(long call, Supplier<ConsumerStatus> status) {
        return consumers.size() < most && consumers.put(call, status) == null;
    }

    /** Lists a reader in this process, which takes nobody's connection. */
    public void enter(long call, Supplier<ConsumerStatus> status) {
        inProcess.put(call, status);
    }

    public void leave(long call) {
        consumers.remove(call);
        inProcess.remove(call);
    }

    public int most() {
        return most;
    }

    /** How many are connected. */
    public int size() {
        return consumers.size();
    }

    /** In the order in which they came, those in this process last. */
    public List<ConsumerStatus> list() {
        return Stream.of(consumers, inProcess)
                .flatMap(some -> some.values().stream())
                .map(Supplier::get)
                .toList();
    }
}
