package dev.sluice.bench;

/**
 * What one contender did in one turn.
 *
 * @param startSeconds from the first connection until all partitions are read
 * @param drain a backlog, from its first to its last message
 * @param flood messages published as fast as they are handled
 * @param steady messages published at a fixed rate
 * @param heapBytes of the workers' JVM, after a garbage collection
 * @param residentBytes of the workers' process
 */
record WorkerTurn(double startSeconds, Load drain, Load flood, Load steady, long heapBytes, long residentBytes) {
    /**
     * Work done under one kind of load.
     *
     * @param sample with the CPU time of the workers' process
     * @param serverCpuNanos of the NATS server
     * @param repeats messages handled more than once
     */
    record Load(Sample sample, long serverCpuNanos, long repeats, Latency latency) {
        double serverCpuMicrosPerMessage() {
            return serverCpuNanos / 1e3 / sample.events();
        }

        double repeatPercent() {
            return 100.0 * repeats / sample.events();
        }
    }

    /** From publishing to the handler, in microseconds. */
    record Latency(long median, long p99, long most) {}
}
