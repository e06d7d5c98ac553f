package dev.sluice.worker.migrate;

import dev.sluice.coordinate.Checkpoints;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.migrate.ImportPlan.Start;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.PartitionSpec;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.partition.SubjectPattern;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Takes over from another program that has one consumer per partition: their ack floors become the positions at which a
 * group begins that has never started. Messages that the other program handled above an ack floor are handled again; none is
 * left out. A consumer that has acknowledged nothing yet may make its partition begin at the first message (NATS 2.10 then
 * reports no ack floor). The other program must be stopped; its consumers are not changed or deleted: delete them when the
 * workers run, on interest streams not before.
 */
public final class ConsumerImport {
    private static final int SHOWN = 5;

    private final String group;
    private final MessageStream stream;
    private final PartitionDirectory directory;
    private final Checkpoints checkpoints;
    private final GroupControl control;

    /** @param group the consumer prefix of the workers */
    public ConsumerImport(CoordinationStore store, String group, MessageStream stream) {
        this.group = group;
        this.stream = stream;
        this.directory = new PartitionDirectory(store, group);
        this.checkpoints = new Checkpoints(store, group);
        this.control = new GroupControl(store, group);
    }

    /**
     * Looks at the consumers and decides where each partition begins. Writes nothing.
     *
     * @param names of the other program's consumers, such as {@code billing-{partition}}
     */
    public ImportPlan plan(Partitions partitions, String names) {
        // The end of the stream before the last messages of the partitions: what comes in between counts as unhandled.
        StreamState state = stream.state();
        List<ConsumerState> consumers = consumers(ConsumerNames.of(names));
        List<String> problems = new ArrayList<>();
        checkGroup(problems);
        checkKind(state, problems);
        if (consumers.isEmpty()) {
            problems.add("no consumer of stream " + state.name() + " is named like " + names);
        }
        checkUse(consumers, problems);
        Set<String> filters = filters(partitions);
        Map<String, Start> starts = starts(consumers, filters, state, problems);
        filters.removeAll(starts.keySet());
        return new ImportPlan(
                partitions, names, state.created().toEpochMilli(), starts, List.copyOf(filters), problems);
    }

    private void checkGroup(List<String> problems) {
        if (control.look().isPresent()) {
            problems.add("group " + group + " has positions already: it was imported before, or its workers have"
                    + " started; use another consumer prefix");
        }
    }

    private static void checkKind(StreamState state, List<String> problems) {
        if (state.retention() == Retention.WORK_QUEUE) {
            problems.add(
                    "stream " + state.name() + " is a work queue and keeps only what is not acknowledged, so there is"
                            + " nothing to import: delete the other consumers, then start the workers");
        }
    }

    private static void checkUse(List<ConsumerState> consumers, List<String> problems) {
        List<String> used = consumers.stream()
                .filter(ConsumerState::inUse)
                .map(ConsumerState::name)
                .toList();
        if (!used.isEmpty()) {
            problems.add("a program uses consumers " + shown(used) + ": stop it first");
        }
    }

    private Map<String, Start> starts(
            List<ConsumerState> consumers, Set<String> filters, StreamState state, List<String> problems) {
        Map<String, Start> starts = new TreeMap<>();
        for (ConsumerState consumer : consumers) {
            String filter = consumer.filters().size() == 1 ? consumer.filters().getFirst() : "";
            if (!filters.contains(filter)) {
                problems.add("consumer " + consumer.name() + " filters " + consumer.filters()
                        + ", which is not one of the partitions");
            } else if (!consumer.acknowledges()) {
                problems.add("consumer " + consumer.name() + " takes no acknowledgements, so what it delivered may not"
                        + " have been handled: delete it, and its partition begins as worker.start says");
            } else {
                Start before = starts.put(filter, start(consumer, filter, state));
                if (before != null) {
                    problems.add(
                            "consumers " + before.consumer() + " and " + consumer.name() + " both filter " + filter);
                }
            }
        }
        return starts;
    }

    private Set<String> filters(Partitions partitions) {
        Set<String> filters = new LinkedHashSet<>();
        partitions.known().stream().map(PartitionSpec::filter).forEach(filters::add);
        if (partitions instanceof SubjectPattern pattern) {
            filters.addAll(stream.subjects(pattern.filter()).keySet());
        }
        return filters;
    }

    private List<ConsumerState> consumers(ConsumerNames names) {
        return stream.consumers().names(names.prefix()).stream()
                .filter(names::matches)
                .flatMap(name -> stream.consumers().info(name).stream())
                .toList();
    }

    /** A partition without messages behind the ack floor begins at the end: its ack floor may lie before the first message. */
    private Start start(ConsumerState consumer, String filter, StreamState state) {
        long floor = consumer.ackFloor();
        boolean done = stream.lastOf(filter).orElse(0) <= floor;
        return new Start(consumer.name(), floor, done ? Math.max(floor, state.last()) : floor);
    }

    /**
     * Writes the positions and lays the group out. Workers may start afterwards.
     *
     * @param generation one that the group never had, such as the time in milliseconds
     * @throws InvalidInputException when the plan has problems, the other program still runs, or the group has started
     */
    public void apply(ImportPlan plan, long generation) {
        ImportPlan now = plan(plan.partitions(), plan.names());
        refuse(plan.problems());
        refuse(now.problems());
        refuseMoved(plan, now);
        directory.admit(plan.partitions());
        directory.discovered(plan.starts().keySet());
        List<String> positions = new ArrayList<>();
        for (Partition partition : directory.read().all()) {
            Optional<Start> start = Optional.ofNullable(plan.starts().get(partition.filter()));
            positions.add(start.map(found -> Cursor.startingAfter(plan.streamCreated(), found.after())
                            .toText())
                    .orElse(""));
        }
        if (!checkpoints.begin(generation, positions)) {
            refuse(List.of("a worker of group " + group + " has started meanwhile; use another consumer prefix"));
        }
    }

    private static void refuse(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new InvalidInputException("the consumers cannot be imported: " + String.join("; ", problems));
        }
    }

    private static void refuseMoved(ImportPlan before, ImportPlan now) {
        List<String> moved = new ArrayList<>();
        before.starts().forEach((filter, start) -> {
            Start later = now.starts().get(filter);
            if (later == null || later.ackFloor() != start.ackFloor()) {
                moved.add(start.consumer());
            }
        });
        if (!moved.isEmpty() || before.streamCreated() != now.streamCreated()) {
            refuse(List.of(
                    "a program has used consumers " + shown(moved) + " meanwhile: stop the other program first"));
        }
    }

    private static String shown(List<String> names) {
        return String.join(", ", names.subList(0, Math.min(SHOWN, names.size()))) + (names.size() > SHOWN ? ", …" : "");
    }
}
