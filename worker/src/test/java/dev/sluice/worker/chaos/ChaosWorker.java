package dev.sluice.worker.chaos;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.NatsMessageStream;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.Nats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A process of the chaos test: one worker whose handler writes to the ledger. SIGTERM makes it hand over and leave. */
public final class ChaosWorker {
    static final String BUCKET = "chaos";
    /** Each start of a process picks a mode, as in the middle of a change of the mode. */
    static final String MIXED = "MIXED";

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    private final ChaosArguments arguments;
    private final LedgerClient ledger;

    private ChaosWorker(ChaosArguments arguments) {
        this.arguments = arguments;
        this.ledger = new LedgerClient(arguments.ledgerPort(), arguments.process());
    }

    public static void main(String[] args) throws Exception {
        Worker worker = new ChaosWorker(ChaosArguments.parse(args)).start();
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close, "leave"));
        System.out.println("worker started");
        Thread.currentThread().join();
    }

    private Worker start() throws Exception {
        Connection connection = Nats.connectReconnectOnConnect(arguments.options());
        return Worker.builder(connection).stream(arguments.stream())
                .prefix(arguments.prefix())
                .partitions(Partitions.list(arguments.subjects()))
                .handler(this::handle)
                .settings(settings())
                .bucket(BUCKET, arguments.replicas())
                .messageStream(new LossyStream(
                        new NatsMessageStream(connection, arguments.stream(), REQUEST_TIMEOUT),
                        arguments.lostDeliveries(),
                        arguments.seed()))
                .start();
    }

    private WorkerSettings settings() {
        Duration lease = arguments.lease();
        return WorkerSettings.DEFAULT.with(draft -> {
            draft.consumers = mode(arguments.mode());
            draft.lease = lease;
            draft.handoffTimeout = lease;
            draft.ackWait = lease.plusSeconds(2);
            draft.inactiveThreshold = lease.multipliedBy(2).plusSeconds(1);
            draft.stabiliser =
                    new StabiliserSettings(Duration.ofMillis(500), Duration.ofMillis(300), Duration.ofMillis(200));
            draft.minUpdateInterval = Duration.ofMillis(300);
            draft.maxAckPending = 100;
            draft.maxSingles = 2;
            draft.attempts = 1_000;
            draft.backoff = List.of(Duration.ofMillis(50));
            draft.idFile = arguments.folder().resolve(arguments.worker() + ".id");
        });
    }

    private static ConsumerMode mode(String name) {
        if (!name.equals(MIXED)) {
            return ConsumerMode.valueOf(name);
        }
        return ThreadLocalRandom.current().nextBoolean() ? ConsumerMode.PER_WORKER : ConsumerMode.PER_PARTITION;
    }

    private Outcome handle(MessageContext context, StreamMessage message) throws Exception {
        arguments.work();
        if (context.attempt() == 1 && ThreadLocalRandom.current().nextInt(300) == 0) {
            return Outcome.retry("one of 300 fails at first");
        }
        ledger.handled(
                ChaosArguments.partition(context.subject()),
                ChaosArguments.number(message.data()),
                message.sequence(),
                context.token(),
                context.attempt());
        return Outcome.done();
    }
}
