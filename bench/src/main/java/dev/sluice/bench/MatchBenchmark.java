package dev.sluice.bench;

import dev.sluice.match.Filter;
import dev.sluice.match.Matcher;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * P4: what an event costs when 1,000 and when 1,000,000 subscriptions wait, five of which it matches; and how much dearer
 * it is to ask them one by one. The heap that the index takes is measured too: more than 150 B per subscription fail the
 * run.
 */
final class MatchBenchmark implements Benchmark {
    private static final int FEW = 1_000;
    private static final int MANY = 1_000_000;
    /** A thousand times the subscriptions may cost five times as much. */
    private static final double FLOOR = 1 / 5.0;

    private static final double LINEAR_FLOOR = 500;
    private static final int MOST_HEAP = 150;

    @Override
    public String name() {
        return "match";
    }

    @Override
    public String description() {
        return "an event against 1,000,000 subscriptions, 5 of which match: against 1,000 subscriptions, and against a linear scan";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int events = quick ? 100_000 : 500_000;
        return List.of(
                scale("100 colls.", MatchWorld.Layout.HUNDRED_COLLECTIONS, events),
                linear("100 colls.", MatchWorld.Layout.HUNDRED_COLLECTIONS, events, quick ? 20 : 50),
                scale("1 coll.", MatchWorld.Layout.ONE_COLLECTION, events),
                linear("1 coll.", MatchWorld.Layout.ONE_COLLECTION, events, quick ? 2 : 10),
                scale("skewed", MatchWorld.Layout.SKEWED, events));
    }

    private static Group scale(String name, MatchWorld.Layout layout, int events) {
        Contender few = new Indexed("index, 1,000 subscriptions", new Lazy(layout, FEW), events);
        Contender many = new Indexed("index, 1,000,000 subscriptions", new Lazy(layout, MANY), events);
        return new Group(name, few, List.of(many), FLOOR);
    }

    private static Group linear(String name, MatchWorld.Layout layout, int events, int scanned) {
        Lazy world = new Lazy(layout, MANY);
        Contender scan = new Scan(world, scanned);
        Contender indexed = new Indexed("index, 1,000,000 subscriptions", world, events);
        return new Group(name, scan, List.of(indexed), LINEAR_FLOOR);
    }

    /** Only one large world is in memory at a time: building one takes seconds, keeping all takes gigabytes. */
    private static final class Lazy implements Supplier<MatchWorld> {
        private static @Nullable Lazy largest;
        private static @Nullable MatchWorld shared;

        private final MatchWorld.Layout layout;
        private final int size;
        private @Nullable MatchWorld own;

        private Lazy(MatchWorld.Layout layout, int size) {
            this.layout = layout;
            this.size = size;
        }

        @Override
        public MatchWorld get() {
            if (size == FEW) {
                own = own == null ? new MatchWorld(layout, size) : own;
                return own;
            }
            MatchWorld world = shared;
            if (world == null || largest == null || largest.layout != layout) {
                shared = null;
                world = new MatchWorld(layout, size);
                shared = world;
                largest = this;
            }
            return world;
        }
    }

    private record Indexed(String name, Supplier<MatchWorld> supplier, int events) implements Contender {
        @Override
        public Sample round() {
            MatchWorld world = supplier.get();
            if (world.subscriptions().size() == MANY && world.heapPerSubscription() > MOST_HEAP) {
                throw new IllegalStateException(
                        world.heapPerSubscription() + " B of heap per subscription are more than " + MOST_HEAP);
            }
            Matcher matcher = world.index().matcher();
            List<ChangeEvent> waiting = world.events();
            long[] matches = new long[1];
            Stopwatch watch = Stopwatch.start();
            for (int k = 0; k < events; k++) {
                matcher.match(waiting.get(k % waiting.size()), (subscription, kind) -> matches[0]++);
            }
            Sample sample = watch.stop(events);
            requireMatches(matches[0], events);
            return sample;
        }
    }

    /** Every subscription is asked: is it my collection, and does the filter hold? */
    private record Scan(Supplier<MatchWorld> supplier, int events) implements Contender {
        @Override
        public String name() {
            return "linear scan, 1,000,000 subscriptions";
        }

        @Override
        public Sample round() {
            MatchWorld world = supplier.get();
            List<Filter> filters = world.filters();
            List<Subscription> subscriptions = world.subscriptions();
            long matches = 0;
            Stopwatch watch = Stopwatch.start();
            for (int k = 0; k < events; k++) {
                ChangeEvent event = world.events().get(k);
                RawBson document = Objects.requireNonNull(event.document());
                for (int s = 0; s < filters.size(); s++) {
                    boolean mine = subscriptions.get(s).collection().equals(event.collection());
                    matches += mine && filters.get(s).matches(document) ? 1 : 0;
                }
            }
            Sample sample = watch.stop(events);
            requireMatches(matches, events);
            return sample;
        }
    }

    private static void requireMatches(long matches, long events) {
        if (matches != MatchWorld.MATCHES * events) {
            throw new IllegalStateException(
                    matches + " matches of " + events + " events are not " + MatchWorld.MATCHES + " each");
        }
    }
}
