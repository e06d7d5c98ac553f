package dev.sluice.server.outbox;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * Three times {@code sluice run --role outbox}. All the while one after the other is killed by {@code kill -9} and started
 * again as it was.
 */
final class RelayProcesses implements NewNodes {
    private static final int NODES = 3;
    private static final int BATCH = 50;
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Path folder;
    private final String url;
    private final String broker;
    private final Random random;
    private final ToLongFunction<String> owned;
    private final ChildProcess[] running = new ChildProcess[NODES];
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread killer;
    private int kills;
    private long repeats;

    /** @param owned how many claims a node has, or had when it died a moment ago */
    RelayProcesses(Path folder, String url, String broker, Random random, ToLongFunction<String> owned) {
        this.folder = folder;
        this.url = url;
        this.broker = broker;
        this.random = random;
        this.owned = owned;
        this.killer = Thread.ofPlatform().daemon().start(this::kill);
    }

    @Override
    public void roll(int newPartitions, String oldLock) throws IOException {
        for (var node = 0; node < NODES; node++) {
            roll(node, newPartitions, oldLock);
        }
    }

    private synchronized void roll(int node, int newPartitions, String oldLock) throws IOException {
        var config = folder.resolve("new-" + node + ".yaml");
        Files.writeString(config, """
                puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}
                outbox:
                  datasource: {url: '%s'}
                  kafka: {bootstrap_servers: '%s'}
                  node: {id: new-%d, timeout: 4s}
                  total: {partitions: %d}
                  batch: {min_rows: 20, max_rows: %d}
                  task: {scheduler: {publish: {initial_delay: 0}, heartbeat: {fixed_rate: 1s}}}
                  %s
                """.formatted(
                        url, broker, node, newPartitions, BATCH, oldLock.isEmpty() ? "" : "global_lock: " + oldLock));
        if (running[node] == null) {
            running[node] = ChildProcess.start(
                    ProcessSpec.sluice("new-" + node, "run", "--config", config.toString(), "--role", "outbox")
                            .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx160m"));
        } else {
            terminate(running[node]);
            running[node].restart();
        }
        running[node].awaitLine("outbox relay started", SOON);
    }

    /** One that was killed the moment before has nothing to end. */
    private static void terminate(ChildProcess node) {
        if (node.isAlive()) {
            node.terminate(SOON);
        }
    }

    private void kill() {
        try {
            while (!closed.await(random.nextInt(300, 2_500), TimeUnit.MILLISECONDS)) {
                killOne(random.nextInt(NODES));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void killOne(int number) {
        var node = running[number];
        if (node != null) {
            node.kill9();
            kills++;
            repeats += owned.applyAsLong("new-" + number) * BATCH;
            node.restart();
        }
    }

    @Override
    public synchronized void stop() {
        for (var node = 0; node < NODES; node++) {
            if (running[node] != null) {
                terminate(running[node]);
                running[node].close();
                running[node] = null;
            }
        }
    }

    @Override
    public synchronized long repeatsAtMost() {
        return repeats;
    }

    @Override
    public synchronized String toString() {
        return kills + " relays killed";
    }

    @Override
    public void close() throws InterruptedException {
        closed.countDown();
        killer.join();
        for (var node : running) {
            if (node != null) {
                node.close();
            }
        }
    }
}
