package dev.sluice.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * P11: the server for end users beside a bare Helidon server that sends the same bytes. Servers are processes of their own; the
 * clients, and the stand-in for the Streamer that delivers to the gateway, are here.
 */
final class GatewayBenchmark {
    static final String NAME = "gateway";
    static final String DESCRIPTION =
            "10,000 WebSockets: heap per idle socket, messages/s, a reconnect storm with resume, against bare Helidon";
    static final String DETAILS = """
            Two servers, each in a process of its own (1 GiB of heap): the gateway as `sluice run --role gateway` runs it,
            and a bare Helidon server that writes finished messages to its sockets. Each turn of a server:
              1. 10,000 clients connect by WebSocket and subscribe: live heap per idle socket (at most 25,000 bytes).
              2. Events are delivered over HTTP/2, batches of 100 that name each client; every client gets each event:
                 messages/s counted at the clients (floor: 0.80 of the bare server), CPU of the server's process.
              3. 10,000 clients on server-sent events are cut, miss 5 events, and come again at once with Last-Event-ID:
                 seconds until half, 99 % and all of them have what they missed.
            The servers take turns (bare, gateway, bare as A/A control); a client that misses an event or gets one twice
            fails the run. A stand-in answers for the Streamer at once, so that the gateway alone is measured.

            --quick       1,000 clients, 100 events each, 2 rounds: about a minute
            (without)     10,000 clients, 50 events each, 5 rounds: about 15 minutes
            --check       exit with 1 below the floor, or above the bound of heap
            --json FILE   write the figures as JSON, too

            10,000 clients need as many file descriptors in this process, and in the storm up to twice as many in the
            server's, which notices a cut SSE client only by its next ping: `ulimit -n` of at least 21,000. Where it is
            up to 1,000 lower, so many clients are cut, and let go by the server, before the others; where it is lower
            still, the benchmark says so and ends. The clients come from 127.0.1.1, 127.0.1.2, …, 2,000 from each, so
            that ports do not run out.
            """;

    private static final double FLOOR = 0.80;
    private static final int MISSED = 5;

    /** The bare server takes two turns a round, and is warm after the first. */
    private static final int WARM_UPS = 2;

    private final Consumer<String> progress;
    private final GatewayContender.Plan plan;
    private final int rounds;

    GatewayBenchmark(Trial.Length length, Consumer<String> progress) {
        this.progress = progress;
        // A gateway notices an SSE client that is cut by the next ping, and each turn waits for that.
        this.plan = length.quick() ? plan(1_000, 100, 1_000) : plan(10_000, 50, 10_000);
        this.rounds = length.quick() ? 2 : Rounds.LEAST;
    }

    private static GatewayContender.Plan plan(int clients, int events, int pingMillis) {
        int cutAhead = FileLimit.ofThisProcess().cutAhead(clients);
        // The bare server resumes by SSE only.
        return new GatewayContender.Plan(clients, events, MISSED, pingMillis, new SseProtocol(), cutAhead);
    }

    Verdict run() throws Exception {
        try (ScratchDirectory directory = new ScratchDirectory();
                Crowd crowd = new Crowd(plan.clients());
                GatewayContender bare = GatewayContender.bare(plan, crowd, directory.path());
                GatewayContender ours = GatewayContender.sluice(plan, crowd, directory.path())) {
            List<GatewayContender> contenders = List.of(bare, ours, bare);
            return verdict(contenders, turns(contenders));
        }
    }

    /** Returns the turns of each contender. The first rounds are a warm-up and are not counted. */
    private List<List<GatewayTurn>> turns(List<GatewayContender> contenders) throws Exception {
        List<List<GatewayTurn>> turns = new ArrayList<>();
        contenders.forEach(each -> turns.add(new ArrayList<>()));
        for (int round = 1 - WARM_UPS; round <= rounds; round++) {
            for (int k = 0; k < contenders.size(); k++) {
                GatewayContender contender = contenders.get(k);
                String where = (round < 1 ? "warm-up" : "round %d of %d".formatted(round, rounds)) + ", "
                        + contender.name() + (k == contenders.size() - 1 ? " (A/A control)" : "") + ": ";
                GatewayTurn turn = contender.turn(phase -> progress.accept(where + phase));
                progress.accept(where + GatewayTable.line(turn));
                if (round > 0) {
                    turns.get(k).add(turn);
                }
            }
        }
        return turns;
    }

    private Verdict verdict(List<GatewayContender> contenders, List<List<GatewayTurn>> turns) {
        List<Result> results = new ArrayList<>(results("messages", FLOOR, contenders, turns, GatewayTurn::messages));
        results.addAll(results("connects", 0, contenders, turns, GatewayTurn::connect));
        results.addAll(
                results("reconnects", 0, contenders, turns, turn -> turn.storm().reconnects()));
        GatewayTable table = new GatewayTable();
        for (int k = 0; k < contenders.size(); k++) {
            boolean control = k == contenders.size() - 1;
            table.add(contenders.get(k).name() + (control ? " (A/A control)" : ""), k == 1, turns.get(k));
        }
        Report report = new Report(NAME, Instant.now(), results);
        List<String> failures = new ArrayList<>(report.failures());
        failures.addAll(table.failures());
        String json = "{\"clients\":%d,\"throughput\":%s,\"heapAndStorm\":%s}%n"
                .formatted(plan.clients(), report.json().strip(), table.json());
        String text = "%s%n%,d clients; storm over %s, %d events missed%s%n%n%s"
                .formatted(report.table(), plan.clients(), plan.storm().name(), plan.missed(), cutAhead(), table);
        return new Verdict(text, json, failures);
    }

    private String cutAhead() {
        return plan.cutAhead() == 0
                ? ""
                : "; %,d of them were cut some seconds before the others: `ulimit -n` is %,d, %,d too low"
                        .formatted(plan.cutAhead(), FileLimit.ofThisProcess().most(), plan.cutAhead());
    }

    private static List<Result> results(
            String group,
            double floor,
            List<GatewayContender> contenders,
            List<List<GatewayTurn>> turns,
            Function<GatewayTurn, Sample> of) {
        List<Contender> all = List.copyOf(contenders);
        return Rounds.results(
                new Benchmark.Group(group, all.getFirst(), all.subList(1, all.size() - 1), floor),
                all,
                turns.stream().map(each -> each.stream().map(of).toList()).toList());
    }
}
