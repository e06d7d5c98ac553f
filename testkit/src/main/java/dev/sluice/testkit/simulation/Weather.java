package dev.sluice.testkit.simulation;

import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What lies between a process and a server: requests that are lost, or come when nobody waits for them any more; answers
 * that are lost; and a process that may die before and after each of them. It clears up in the end.
 */
public final class Weather {
    private static final Duration FASTEST = Duration.ofMillis(1);
    private static final Duration SLOWEST = Duration.ofMillis(20);

    private final Simulation simulation;
    private double lost;
    private double late;
    private double crash;
    private Duration latest = Duration.ZERO;

    /** How long a client waits for an answer. */
    private final Duration timeout;

    public Weather(Simulation simulation) {
        this.simulation = simulation;
        this.timeout = simulation.between(Duration.ofSeconds(1), Duration.ofSeconds(6));
    }

    public void isBad(double lost, double late, Duration latest, double crash) {
        this.lost = lost;
        this.late = late;
        this.latest = latest;
        this.crash = crash;
    }

    public void clearsUp() {
        isBad(0, 0, Duration.ZERO, 0);
    }

    /** One request of the fiber that runs now; undecided when it throws {@link StoreUnavailableException}. */
    public <T> T ask(Node client, Node server, String what, Supplier<T> request) {
        return tryAsk(client, server, what, request)
                .orElseThrow(() -> new StoreUnavailableException("no answer to " + what));
    }

    /** The same for servers that are no store: empty when there was no answer. */
    public <T> Optional<T> tryAsk(Node client, Node server, String what, Supplier<T> request) {
        client.mayCrash(crash, what);
        Request<T> sent = new Request<>(client, server, what, request);
        sent.send();
        client.mayCrash(crash, "the answer to " + what);
        return Optional.ofNullable(sent.answer);
    }

    /** Whether a change is told to who watches, right now. */
    boolean carriesHint(Node client, Node server) {
        return !simulation.network().isBlocked(server, client) && simulation.chance(0.7);
    }

    private final class Request<T> {
        private final Node client;
        private final Node server;
        private final String what;
        private final Supplier<T> request;
        private final Suspension wait;
        private final Duration deadline = simulation.now().plus(timeout);
        private @Nullable T answer;

        Request(Node client, Node server, String what, Supplier<T> request) {
            this.client = client;
            this.server = server;
            this.what = what;
            this.request = request;
            this.wait = client.suspension();
        }

        void send() {
            Duration travels = simulation.between(FASTEST, simulation.chance(late) ? FASTEST.plus(latest) : SLOWEST);
            boolean leaves = reaches(client, server) && !simulation.chance(lost);
            if (!leaves || travels.compareTo(timeout) >= 0) {
                giveUp();
            }
            if (leaves) {
                simulation.after(travels, what, this::arrive);
            }
            wait.await();
        }

        private void arrive() {
            boolean reached = server.isUp() && !server.isPaused() && reaches(client, server);
            if (!reached) {
                giveUp();
                return;
            }
            T result = request.get();
            if (simulation.chance(lost) || !reaches(server, client)) {
                giveUp();
            } else {
                wait.endAfter(travels(timeout), "answer to " + what, () -> answer = result);
            }
        }

        private Duration travels(Duration atMost) {
            return simulation.between(FASTEST, simulation.chance(late) ? FASTEST.plus(atMost) : SLOWEST);
        }

        /** Nobody will tell the client anything: it waits for the rest of its time. */
        private void giveUp() {
            Duration left = deadline.minus(simulation.now());
            wait.endAfter(left.isNegative() ? Duration.ZERO : left, "no answer to " + what);
        }

        private boolean reaches(Node from, Node to) {
            return !simulation.network().isBlocked(from, to);
        }
    }
}
