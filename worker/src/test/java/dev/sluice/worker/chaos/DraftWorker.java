package dev.sluice.worker.chaos;

import dev.sluice.model.FencingToken;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The worker of draft 002 §5.3, as it is written there: one durable consumer per worker, continued by its stable name. A
 * partition that moves is added to the new owner's filter first; the old owner takes it out in its next cycle and leaves
 * what it has not acknowledged to redelivery. Kept to see the suite fail it. SIGTERM finishes the message at hand and ends.
 */
public final class DraftWorker {
    private static final Duration CYCLE = Duration.ofMillis(500);

    private final ChaosArguments arguments;
    private final LedgerClient ledger;
    private final Connection connection;
    private final Map<Integer, Long> epochs = new HashMap<>();
    private Set<Integer> filtered = Set.of();
    private long nextRemoval;
    private volatile boolean stopped;

    private DraftWorker(ChaosArguments arguments) throws Exception {
        this.arguments = arguments;
        this.ledger = new LedgerClient(arguments.ledgerPort(), arguments.process());
        this.connection = Nats.connect(arguments.options());
    }

    public static void main(String[] args) throws Exception {
        DraftWorker worker = new DraftWorker(ChaosArguments.parse(args));
        Thread loop = Thread.ofPlatform().name("draft-worker").start(worker::run);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> worker.stop(loop)));
        System.out.println("worker started");
        loop.join();
    }

    private void stop(Thread loop) {
        stopped = true;
        try {
            loop.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        JetStreamSubscription pull = null;
        while (!stopped) {
            try {
                updateConsumer();
                if (!filtered.isEmpty()) {
                    if (pull == null) {
                        pull = connection
                                .jetStream()
                                .subscribe(null, PullSubscribeOptions.bind(arguments.stream(), durable()));
                    }
                    for (Message message : pull.fetch(20, Duration.ofMillis(100))) {
                        handle(message);
                    }
                }
            } catch (IOException | JetStreamApiException | RuntimeException again) {
                System.out.println("again after " + again);
            } catch (InterruptedException end) {
                return;
            }
        }
    }

    private String durable() {
        return arguments.prefix() + '-' + arguments.worker();
    }

    /** Adds at once, removes once per cycle. */
    private void updateConsumer() throws IOException, JetStreamApiException {
        Set<Integer> wanted = new HashSet<>();
        String assigned = ledger.assigned();
        for (String each : assigned.isEmpty() ? new String[0] : assigned.split(" ")) {
            String[] words = each.split(":");
            wanted.add(Integer.parseInt(words[0]));
            epochs.put(Integer.parseInt(words[0]), Long.parseLong(words[1]));
        }
        Set<Integer> next = new TreeSet<>(wanted);
        if (System.nanoTime() < nextRemoval) {
            next.addAll(filtered);
        }
        if (next.equals(filtered)) {
            return;
        }
        nextRemoval = System.nanoTime() + CYCLE.toNanos();
        if (!next.isEmpty()) {
            connection.jetStreamManagement().addOrUpdateConsumer(arguments.stream(), configuration(next));
        }
        filtered = next;
    }

    private ConsumerConfiguration configuration(Set<Integer> partitions) {
        List<String> filters = partitions.stream().map(ChaosArguments::subject).toList();
        return ConsumerConfiguration.builder()
                .durable(durable())
                .filterSubjects(filters)
                .deliverPolicy(DeliverPolicy.All)
                .ackPolicy(AckPolicy.Explicit)
                .ackWait(Duration.ofSeconds(2))
                .maxAckPending(500)
                .build();
    }

    private void handle(Message message) throws InterruptedException {
        int partition = ChaosArguments.partition(message.getSubject());
        try {
            arguments.work();
            ledger.handled(
                    partition,
                    ChaosArguments.number(message.getData()),
                    message.metaData().streamSequence(),
                    new FencingToken(0, epochs.getOrDefault(partition, 0L)),
                    1);
            message.ack();
        } catch (IOException | LedgerClient.StaleException notHandled) {
            // "will redeliver (AckWait)"
        }
    }
}
