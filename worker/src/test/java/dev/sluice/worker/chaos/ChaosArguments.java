package dev.sluice.worker.chaos;

import io.nats.client.ErrorListener;
import io.nats.client.Options;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What a worker process of the chaos test is told on its command line.
 *
 * @param replicas of the stream, and of the store of the group
 * @param worker its stable name in the test
 * @param lostDeliveries of 10,000 deliveries, how many are lost in the client, each with some that follow it
 * @param folder where it keeps the file with its worker id
 * @param lease of the group, and thereby of everything that is shorter or longer than it
 */
record ChaosArguments(
        String urls,
        int replicas,
        String stream,
        String prefix,
        String worker,
        int ledgerPort,
        int partitions,
        String mode,
        int lostDeliveries,
        Duration lease,
        Path folder,
        long seed) {
    private static final Duration WORK = Duration.ofMillis(1);
    private static final Duration LONG_WORK = Duration.ofMillis(150);
    private static final int ONE_LONG_OF = 100;

    static ChaosArguments parse(String[] args) {
        return new ChaosArguments(
                args[0],
                Integer.parseInt(args[1]),
                args[2],
                args[3],
                args[4],
                Integer.parseInt(args[5]),
                Integer.parseInt(args[6]),
                args[7],
                Integer.parseInt(args[8]),
                Duration.parse(args[9]),
                Path.of(args[10]),
                Long.parseLong(args[11]));
    }

    String[] toArray() {
        return new String[] {
            urls,
            Integer.toString(replicas),
            stream,
            prefix,
            worker,
            Integer.toString(ledgerPort),
            Integer.toString(partitions),
            mode,
            Integer.toString(lostDeliveries),
            lease.toString(),
            folder.toString(),
            Long.toString(seed)
        };
    }

    /** As the process calls itself towards the ledger: unique for each start. */
    String process() {
        return worker + ':' + ProcessHandle.current().pid();
    }

    Options options() {
        return Options.builder()
                .servers(urls.split(","))
                .ignoreDiscoveredServers()
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .connectionTimeout(Duration.ofSeconds(5))
                .errorListener(new ErrorListener() {})
                .build();
    }

    List<String> subjects() {
        return IntStream.range(0, partitions).mapToObj(ChaosArguments::subject).toList();
    }

    static String subject(int partition) {
        return "chaos." + partition;
    }

    static int partition(String subject) {
        return Integer.parseInt(subject.substring(subject.lastIndexOf('.') + 1));
    }

    static byte[] body(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    static long number(byte[] body) {
        return Long.parseLong(new String(body, StandardCharsets.US_ASCII));
    }

    /** The work of a handler, before it writes to the ledger; sometimes long, so that faults hit handlers at work. */
    void work() throws InterruptedException {
        boolean isLong = ThreadLocalRandom.current().nextInt(ONE_LONG_OF) == 0;
        TimeUnit.NANOSECONDS.sleep((isLong ? LONG_WORK : WORK).toNanos());
    }
}
