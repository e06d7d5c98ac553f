package dev.sluice.outbox.chaos;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.KafkaServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Relay processes, the database and the broker they share, hurt one after the other while earlier harms still last. */
final class RelayChaos implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    enum Harm {
        KILL,
        /** Longer than the lease: it wakes as a zombie, with rows under way. */
        FREEZE,
        LEAVE,
        DATABASE_RESTART,
        BROKER_RESTART
    }

    private record Cure(long at, Runnable action) {}

    private final ChaosDatabase database;
    private final KafkaServer broker;
    private final Random random;
    private final List<ChildProcess> relays = new ArrayList<>();
    private final List<ChildProcess> healthy = new ArrayList<>();
    private final PriorityQueue<Cure> cures = new PriorityQueue<>(Comparator.comparingLong(Cure::at));
    private final List<Harm> eachOnce;

    /** @param eachOnce these first, in any order; then any */
    RelayChaos(
            int relayCount,
            String prefix,
            ChaosDatabase database,
            KafkaServer broker,
            Map<Delivery, String> urls,
            List<Harm> eachOnce,
            Random random) {
        this.eachOnce = new ArrayList<>(eachOnce);
        this.database = database;
        this.broker = broker;
        this.random = random;
        Collections.shuffle(this.eachOnce, random);
        for (int k = 0; k < relayCount; k++) {
            List<String> arguments = new ArrayList<>(List.of(prefix, "r" + k, broker.url()));
            urls.forEach((delivery, url) -> arguments.addAll(List.of(delivery.name(), url)));
            relays.add(ChildProcess.start(ProcessSpec.java(
                            "outbox-" + prefix + "r" + k, ChaosRelay.class.getName(), arguments.toArray(String[]::new))
                    .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx160m")));
        }
        relays.forEach(relay -> relay.awaitLine("relay started", SOON));
        healthy.addAll(relays);
    }

    /** @param tell hears of every round */
    void run(int rounds, Consumer<String> tell) throws InterruptedException, SQLException {
        for (int round = 1; round <= rounds; round++) {
            Harm next =
                    eachOnce.isEmpty() ? Harm.values()[random.nextInt(Harm.values().length)] : eachOnce.removeLast();
            tell.accept("round " + round + " of " + rounds + ": " + next);
            harm(next);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(300, 1_500));
            while (System.nanoTime() < end || healthy.isEmpty()) {
                cureWhatIsDue(System.nanoTime());
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        while (!cures.isEmpty()) {
            cureWhatIsDue(System.nanoTime());
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void harm(Harm harm) throws SQLException {
        switch (harm) {
            case KILL -> {
                ChildProcess relay = pick();
                relay.kill9();
                later(random.nextInt(0, 1_500), () -> start(relay));
            }
            case FREEZE -> {
                ChildProcess relay = pick();
                relay.pause();
                later(ChaosRelay.LEASE.toMillis() + random.nextInt(300, 1_500), () -> {
                    relay.resume();
                    healthy.add(relay);
                });
            }
            case LEAVE -> {
                ChildProcess relay = pick();
                relay.terminate(SOON);
                later(random.nextInt(0, 500), () -> start(relay));
            }
            case DATABASE_RESTART -> database.restart(random);
            case BROKER_RESTART -> restartBroker();
        }
    }

    private void restartBroker() {
        if (random.nextBoolean()) {
            broker.kill();
        } else {
            broker.stop();
        }
        broker.start();
    }

    private void start(ChildProcess relay) {
        relay.restart();
        healthy.add(relay);
    }

    private ChildProcess pick() {
        return healthy.remove(random.nextInt(healthy.size()));
    }

    private void later(long millis, Runnable action) {
        cures.add(new Cure(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), action));
    }

    private void cureWhatIsDue(long now) {
        while (!cures.isEmpty() && cures.element().at - now <= 0) {
            cures.remove().action.run();
        }
    }

    @Override
    public void close() {
        relays.forEach(ChildProcess::close);
    }
}
