package dev.sluice.bench;

/**
 * CPU time of the three processes of {@code e2e}, in nanoseconds, or per nanosecond of a stretch: then it is the number of
 * cores they kept busy.
 *
 * @param node Puller and Streamer
 * @param source devmongo, which writes the load
 * @param gateways this process
 */
record CpuShares(double node, double source, double gateways) {
    CpuShares minus(CpuShares before) {
        return new CpuShares(node - before.node, source - before.source, gateways - before.gateways);
    }

    CpuShares over(double nanos) {
        return new CpuShares(node / nanos, source / nanos, gateways / nanos);
    }

    @Override
    public String toString() {
        return "%.2f + %.2f + %.2f".formatted(node, source, gateways);
    }
}
