package dev.sluice.bench;

import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.stream.StreamLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * P10: how much sooner a consumer has caught up when it gets one event per document, and how many it gets. The consumer
 * itself does nothing, so this is the least that is won. The floor holds for JSON, which consumers get unless they ask
 * for BSON; raw BSON is passed through so cheaply that reading the log is most of the work either way.
 */
final class CoalesceBenchmark implements Benchmark {
    private static final double FLOOR = 5;
    private static final int FEWER = 20;
    private static final int DOCUMENT_BYTES = 200;
    private static final int EVENTS_PER_DOCUMENT = 100;

    @Override
    public String name() {
        return "coalesce";
    }

    @Override
    public String description() {
        return "a backlog of 100 changes per document (10 million, heap of 1 GiB), coalesced against raw; events/s count the backlog";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int documents = quick ? 5_000 : 100_000;
        int events = documents * EVENTS_PER_DOCUMENT;
        SplittableRandom random = new SplittableRandom(7);
        List<Group> groups = new ArrayList<>();
        groups.addAll(groups("uniform", events, n -> random.nextInt(documents)));
        groups.addAll(groups("skewed", events, n -> (int) (documents * Math.pow(random.nextDouble(), 4))));
        return groups;
    }

    private static List<Group> groups(String name, int events, IntUnaryOperator documentOf) {
        try {
            Backlog backlog = new Backlog(events, DOCUMENT_BYTES, documentOf);
            PullerOptions options = PullerOptions.DEFAULT.withLimits(
                    StreamLimits.DEFAULT.withCatchUpThreshold(Math.min(100_000, events / 10)));
            PullerGrpcServer server = PullerGrpcServer.start(
                    ListenAddress.loopback(0), ServerSecurity.NONE, Map.of("bench", backlog.reader()), options);
            return List.of(
                    group(name + ", JSON", backlog, server, Encoding.JSON, FLOOR),
                    group(name + ", BSON", backlog, server, Encoding.BSON, 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Group group(String name, Backlog backlog, PullerGrpcServer server, Encoding encoding, double floor) {
        Reading raw = new Reading(backlog, server, encoding, false);
        return new Group(name, raw, List.of(new Reading(backlog, server, encoding, true)), floor);
    }

    private record Reading(Backlog backlog, PullerGrpcServer server, Encoding encoding, boolean coalesce)
            implements Contender {
        @Override
        public String name() {
            return coalesce ? "coalesced" : "raw";
        }

        @Override
        public Sample round() {
            try (CountingConsumer consumer = new CountingConsumer(server.port(), false)) {
                ProgressMarker head = new ProgressMarker(
                        Map.of("bench", backlog.reader().state().head().id()));
                Stopwatch watch = Stopwatch.start();
                long delivered = consumer.readTo(head, encoding, coalesce);
                Sample sample = watch.stop(backlog.events());
                System.err.printf("%s: %,d deliveries for %,d events%n", name(), delivered, backlog.events());
                if (coalesce && delivered * FEWER > backlog.events()) {
                    throw new IllegalStateException(delivered + " deliveries are not " + FEWER + " times fewer");
                }
                return sample;
            }
        }
    }
}
