package dev.sluice.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.match.Matcher;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Homes.Unclaimed;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers beside writers: what a reader sees at once belongs together. */
@Timeout(60)
class ReadWhileChangingTest {
    private static final int IDS = 600;
    private static final ChangeEvent EVENT = new ChangeEvent(
            new EventId(ClusterTime.of(1, 1), 1),
            "main",
            Operation.INSERT,
            "t",
            "c",
            DocumentId.of(new BsonString("d")),
            RawBson.of(new BsonDocument("a", new BsonString("1"))),
            null,
            1,
            OptionalLong.empty(),
            false);

    private final Registries here = new Registries(
            SubscriptionQuotas.DEFAULT, new Registries.FailingStore(), new Homes(Unclaimed.SHARE), new KnownHeads());
    private final SubscriptionRegistry registry = here.subscriptions;
    private final RegistryView view = registry.view();
    private final AtomicBoolean done = new AtomicBoolean();

    @Test
    void indexRecordsRevisionAndChangesAgree() throws Exception {
        registry.register(List.of(Subscription.of("stays", "", "t", "c", "{}")));
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> readers = new ArrayList<>();
            readers.add(threads.submit(this::read));
            readers.add(threads.submit(this::read));
            readers.add(threads.submit(this::follow));
            readers.add(threads.submit(this::findWithoutReading));
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < 2; w++) {
                int seed = w;
                writers.add(threads.submit(() -> change(new Random(seed))));
            }
            try {
                for (Future<?> writer : writers) {
                    writer.get();
                }
            } finally {
                done.set(true);
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }

    private void change(Random random) {
        for (int round = 0; round < 150; round++) {
            List<Subscription> batch = new ArrayList<>();
            List<String> ending = new ArrayList<>();
            for (int k = 0; k < 300; k++) {
                String id = "s" + random.nextInt(IDS);
                if (random.nextInt(3) == 0) {
                    ending.add(id);
                } else {
                    batch.add(Subscription.of(
                            id,
                            "g" + random.nextInt(3),
                            "t",
                            "c",
                            random.nextBoolean() ? "{}" : "{\"a\":{\"$in\":[\"1\",\"" + random.nextInt(9) + "\"]}}"));
                }
            }
            registry.register(batch);
            registry.remove(ending);
            here.gateways.register(Registries.gateway("g1"));
        }
    }

    private void read() {
        Matcher matcher = view.matcher();
        while (!done.get()) {
            view.reading(() -> {
                long revision = view.revision();
                int[] matched = new int[1];
                matcher.match(EVENT, (subscription, kind) -> {
                    SubscriptionRecord record = Objects.requireNonNull(view.find(subscription.id()));
                    assertThat(record.definition()).isSameAs(subscription);
                    assertThat(record.revision()).isLessThanOrEqualTo(revision);
                    matched[0]++;
                });
                int[] all = new int[1];
                view.forEach(each -> all[0]++);
                assertThat(matched[0]).as("every definition matches").isEqualTo(all[0]);
                int[] byHome = new int[1];
                // Reads again within reading: a lock that is not re-entrant would hang here.
                view.homes()
                        .forEach(home -> view.forEachOf(home, each -> {
                            assertThat(each.home()).isEqualTo(home);
                            byHome[0]++;
                        }));
                assertThat(byHome[0]).isEqualTo(all[0]);
                assertThat(view.changesAfter(revision, 10)).isEmpty();
                return true;
            });
        }
    }

    private void follow() {
        long applied = view.revision();
        while (!done.get()) {
            for (RegistryChange change : Objects.requireNonNull(view.changesAfter(applied, 100))) {
                assertThat(change.revision()).isGreaterThan(applied);
                applied = change.revision();
            }
        }
    }

    private void findWithoutReading() {
        Random random = new Random();
        while (!done.get()) {
            assertThat(view.find("stays")).isNotNull();
            String id = "s" + random.nextInt(IDS);
            SubscriptionRecord found = view.find(id);
            if (found != null) {
                assertThat(found.id()).isEqualTo(id);
            }
        }
    }
}
