package dev.sluice.server.coordinate;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.RealServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Five real members of one group and the store they share, hurt at random, by one thread. */
final class Chaos implements AutoCloseable {
    private static final int MEMBERS = 5;
    private static final int ONE_ALONE_OF = 6;
    private static final Duration SOON = Duration.ofSeconds(60);

    enum Harm {
        KILL,
        FREEZE,
        LEAVE,
        STORE_RESTART,
        STORE_FREEZE
    }

    private record Cure(long at, Runnable action) {}

    private final StoreKind kind;
    private final RealServer server;
    private final Random random;
    private final Duration lease;
    private final ChaosFigures figures = new ChaosFigures();
    private final List<ChildProcess> members = new ArrayList<>();
    private final List<ChildProcess> healthy = new ArrayList<>();
    private final PriorityQueue<Cure> cures = new PriorityQueue<>(Comparator.comparingLong(Cure::at));
    /** The store's come last and by themselves, so that even a short run measures members' deaths without them. */
    private final List<Harm> firstEachOnce = new ArrayList<>(List.of(Harm.KILL, Harm.FREEZE));

    private final List<Harm> thenEachOnce = new ArrayList<>(List.of(Harm.STORE_RESTART, Harm.STORE_FREEZE));
    private final List<Harm> done = new ArrayList<>();

    Chaos(StoreKind kind, RealServer server, String url, int port, Duration lease, Random random) {
        this.kind = kind;
        this.server = server;
        this.random = random;
        this.lease = lease;
        Collections.shuffle(firstEachOnce, random);
        // taken from the end: the first one is a handoff that nothing disturbs
        firstEachOnce.add(Harm.LEAVE);
        Collections.shuffle(thenEachOnce, random);
        for (int k = 0; k < MEMBERS; k++) {
            String id = "m" + k;
            members.add(ChildProcess.start(ProcessSpec.java(
                            "chaos-" + kind.name().toLowerCase(Locale.ROOT) + '-' + id,
                            ChaosMember.class.getName(),
                            kind.name(),
                            url,
                            id,
                            Integer.toString(port),
                            lease.toString())
                    .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-Xss512k")));
        }
        members.forEach(member -> member.awaitLine("member started", SOON));
        healthy.addAll(members);
    }

    /** Hurts for so long, and until each harm was done once, looking at the claims in between. */
    void run(Duration time, ClaimsObserver observer) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        long due = System.nanoTime();
        while (System.nanoTime() < end || !firstEachOnce.isEmpty() || !thenEachOnce.isEmpty()) {
            if (System.nanoTime() >= due && healthy.size() >= MEMBERS - 2) {
                harm(nextHarm());
                due = System.nanoTime() + pause();
            }
            cureWhatIsDue(System.nanoTime());
            observer.look();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        cureWhatIsDue(Long.MAX_VALUE);
    }

    /** Harms overlap, except for some: what one costs by itself is to be seen too. */
    private long pause() {
        if (firstEachOnce.isEmpty() && thenEachOnce.size() == 2) {
            return lease.toNanos() + millis(2_000);
        }
        boolean beforeOrAfterALoneOne = done.size() % ONE_ALONE_OF >= ONE_ALONE_OF - 2;
        return beforeOrAfterALoneOne ? 2 * lease.toNanos() + millis(1_000) : millis(500, (int) lease.toMillis());
    }

    private Harm nextHarm() {
        if (!firstEachOnce.isEmpty()) {
            return firstEachOnce.removeLast();
        }
        return thenEachOnce.isEmpty() ? Harm.values()[random.nextInt(Harm.values().length)] : thenEachOnce.removeLast();
    }

    private void harm(Harm harm) {
        done.add(harm);
        switch (harm) {
            case KILL -> kill(pick());
            case FREEZE -> freeze(pick());
            case LEAVE -> leave(pick());
            case STORE_RESTART -> restartStore();
            case STORE_FREEZE -> freezeStore();
        }
    }

    private void kill(ChildProcess member) {
        figures.hurt(process(member), System.nanoTime());
        member.kill9();
        // back at once, or after its lease
        later(random.nextInt(4) == 0 ? 0 : lease.toMillis() + 2_000, () -> start(member));
    }

    private void freeze(ChildProcess member) {
        figures.hurt(process(member), System.nanoTime());
        member.pause();
        later(lease.toMillis() + random.nextInt(500, 3_000), () -> {
            member.resume();
            healthyAgain(member);
        });
    }

    private void leave(ChildProcess member) {
        member.terminate(SOON);
        later(random.nextInt(1_000), () -> start(member));
    }

    private void start(ChildProcess member) {
        member.restart();
        healthyAgain(member);
    }

    /** Hurt anew only when it has had time to own something. */
    private void healthyAgain(ChildProcess member) {
        later(lease.toMillis() + 1_000, () -> healthy.add(member));
    }

    private void restartStore() {
        long from = System.nanoTime();
        kind.restart(server, random);
        figures.storeAway(from, System.nanoTime());
    }

    private void freezeStore() {
        long from = System.nanoTime();
        server.pause();
        later(random.nextInt(200, (int) lease.toMillis() + 1_000), () -> {
            server.resume();
            figures.storeAway(from, System.nanoTime());
        });
    }

    private ChildProcess pick() {
        return healthy.remove(random.nextInt(healthy.size()));
    }

    /** As it calls itself towards the witness. */
    private String process(ChildProcess member) {
        return "m" + members.indexOf(member) + ':' + member.pid();
    }

    private void later(long millis, Runnable action) {
        cures.add(new Cure(System.nanoTime() + millis(millis), action));
    }

    private void cureWhatIsDue(long now) {
        while (!cures.isEmpty() && cures.element().at <= now) {
            cures.remove().action.run();
        }
    }

    private long millis(int least, int most) {
        return millis(random.nextInt(least, most));
    }

    private static long millis(long number) {
        return TimeUnit.MILLISECONDS.toNanos(number);
    }

    /** Every thread of every member, virtual ones too, beside their logs: for whoever asks why nothing happens. */
    void dumpThreads() throws Exception {
        for (ChildProcess member : members) {
            String file = member.log().toAbsolutePath().toString().replaceFirst("\\.log$", ".threads");
            new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(member.pid()),
                            "Thread.dump_to_file",
                            "-overwrite",
                            file)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
        }
    }

    ChaosFigures figures() {
        return figures;
    }

    List<Harm> done() {
        return done;
    }

    @Override
    public void close() {
        members.forEach(ChildProcess::close);
    }
}
