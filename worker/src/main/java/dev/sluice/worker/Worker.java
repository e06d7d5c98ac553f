package dev.sluice.worker;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.GroupCounters;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.run.LoopFailure;
import dev.sluice.worker.consume.AckWaitWatch;
import dev.sluice.worker.consume.Housekeeping;
import dev.sluice.worker.consume.OwnedPartitions;
import dev.sluice.worker.consume.Problems;
import dev.sluice.worker.consume.ServerTrouble;
import dev.sluice.worker.consume.Session;
import dev.sluice.worker.consume.StartRecord;
import dev.sluice.worker.consume.StreamKind;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.consume.WorkerLoops;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.migrate.GroupMode;
import dev.sluice.worker.migrate.MigrationStore;
import dev.sluice.worker.migrate.ModeMigration;
import dev.sluice.worker.partition.Discovery;
import dev.sluice.worker.partition.HashedResize;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState;
import io.nats.client.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A worker of a group that shares the partitions of a JetStream stream. Each partition is handled by one worker at a time, in
 * order; every message at least once, whatever process or server dies. One durable consumer serves all partitions of a
 * worker. Started, it joins; closed, it hands its partitions over and leaves.
 */
public final class Worker implements AutoCloseable {
    private static final Duration CARE_INTERVAL = Duration.ofSeconds(1);
    private static final Duration HOUSEKEEPING_INTERVAL = Duration.ofSeconds(5);
    private static final Duration DIRECTORY_INTERVAL = Duration.ofSeconds(10);

    private final WorkerBuilder plan;
    private final WorkerContext context;
    private final CoordinationStore store;
    private final PartitionDirectory directory;
    private final OwnedPartitions owned;
    private final Housekeeping housekeeping;
    private final Discovery discovery;
    private final HashedResize resize;
    private final Group group;
    private final Clockwork clockwork;
    private final AckWaitWatch ackWait;
    private final Clockwork.Signal care;
    private final CoordinationStore.Watch watch;
    private final GroupMode mode;
    private final ModeMigration migration;
    private final CoordinationStore.Watch modeWatch;
    private final Clockwork.Signal migrate;
    private final Clockwork.Signal windows;
    private volatile PartitionMap partitions;
    private volatile boolean directoryChanged;
    private volatile boolean subjectsTaken;
    private volatile boolean paused;
    private volatile boolean draining;
    private volatile boolean closed;
    private long directoryAt;
    private long discoveredAt;
    private long cleanedAt;
    private long takenAt;

    Worker(WorkerBuilder plan) {
        this.plan = plan;
        this.store = plan.openStore();
        this.clockwork = plan.clockwork();
        MessageStream stream = plan.openStream();
        StreamState state = stream.state();
        MigrationStore migrations = new MigrationStore(store, plan.prefix());
        this.mode = new GroupMode(plan.settings().consumers(), migrations.readable());
        plan.check(state, plan.partitions(), mode.get());
        this.directory = new PartitionDirectory(store, plan.prefix());
        this.partitions = directory.admit(plan.partitions());
        GroupControl control = new GroupControl(store, plan.prefix());
        control.grow(Math.max(1, partitions.size()));
        Cursor start = StartRecord.readOrWrite(
                store, plan.prefix(), state, plan.settings().start());
        WorkerCounters counters = new WorkerCounters();
        counters.duplicateSubjects.add(plan.partitions().duplicates());
        Problems problems = new Problems();
        this.ackWait = new AckWaitWatch(
                WorkerListener.guarded(plan.listener(), counters),
                plan.settings().ackWait(),
                problems);
        this.context = new WorkerContext(
                stream,
                StreamKind.of(state.retention()),
                state.replicas(),
                plan.settings(),
                counters,
                ackWait,
                problems,
                new WorkerLoops(clockwork, problems),
                new ServerTrouble(clockwork, StreamKind.of(state.retention())),
                clockwork,
                plan.wallClock(),
                () -> partitions,
                mode,
                () -> paused);
        reportUnfit(state);
        CursorStore cursors = new CursorStore(store, plan.prefix());
        this.housekeeping = new Housekeeping(context, plan.prefix(), control, cursors);
        this.discovery = new Discovery(directory, stream, control::grow);
        this.resize = new HashedResize(directory, stream, clockwork::nanos);
        this.owned = new OwnedPartitions(
                new Session.Plan(
                        context, plan.prefix(), plan.handler(), plan.deadLetterSink(state), cursors, start, others()),
                this::readDirectory);
        this.care = clockwork.signal();
        this.migrate = clockwork.signal();
        this.windows = clockwork.signal();
        this.migration = new ModeMigration(context, migrations, mode, this::group, owned::current, windows::raise);
        long now = clockwork.nanos();
        this.directoryAt = now;
        this.discoveredAt = now - plan.settings().discover().toNanos();
        this.cleanedAt = now;
        this.takenAt = now - HOUSEKEEPING_INTERVAL.toNanos();
        this.watch = directory.watch(() -> {
            directoryChanged = true;
            care.raise();
        });
        this.modeWatch = migration.watch(migrate::raise);
        stream.whenBack(() -> owned.current().ifPresent(Session::connectionIsBack));
        this.group =
                Group.start(store, groupSettings(cursors), owned, clockwork, plan.wallClock(), plan.incarnations());
        try {
            context.loops().start("worker-care-" + plan.prefix(), care, () -> closed, this::takeCare);
            context.loops().start(ModeMigration.LOOP + plan.prefix(), migrate, () -> closed, migration::step);
            context.loops()
                    .start(
                            ModeMigration.LOOP + "windows-" + plan.prefix(),
                            windows,
                            () -> closed,
                            migration::watchSelf);
        } catch (RuntimeException | Error noThread) {
            close();
            throw noThread;
        }
    }

    private Session.OtherWorkers others() {
        return new Session.OtherWorkers() {
            @Override
            public boolean hasSuccessor(int partition, FencingToken before) {
                return housekeeping.hasSuccessor(partition, before);
            }

            @Override
            public void subjectsTaken() {
                subjectsTaken = true;
                care.raise();
            }
        };
    }

    public static WorkerBuilder builder(Connection connection) {
        return new WorkerBuilder(connection);
    }

    private GroupSettings groupSettings(CursorStore cursors) {
        WorkerSettings settings = plan.settings();
        return GroupSettings.of(
                        plan.prefix(),
                        MemberIds.pool("w", settings.poolSize(), settings.idFile()),
                        Math.max(1, partitions.size()))
                .withLease(settings.lease())
                .withHandoffTimeout(settings.handoffTimeout())
                .withStabiliser(settings.stabiliser())
                .withAssigner(plan.assigner())
                .withSecrets(plan.secrets())
                .withTakeover(cursors);
    }

    private Duration takeCare() {
        long now = clockwork.nanos();
        owned.current().ifPresent(session -> {
            context.counters().pending.set(session.feeding().pending());
            context.counters().unacknowledged.set(session.queued());
        });
        // Restarts loops of the session whose thread could not be started.
        owned.current().ifPresent(Session::start);
        ackWait.check();
        if (directoryChanged || isDue(directoryAt, DIRECTORY_INTERVAL, now)) {
            directoryAt = now;
            directoryChanged = false;
            try {
                readDirectory();
            } catch (RuntimeException | Error unread) {
                directoryChanged = true;
                throw unread;
            }
        }
        owned.takeWaiting();
        boolean leads = group.status().leads();
        if (isDue(discoveredAt, plan.settings().discover(), now)) {
            discoveredAt = now;
            lookAtStream();
            if (leads) {
                discovery.step();
                resize.step();
            }
            reportSubjects(leads ? discovery.problem() : "");
        }
        boolean taken = subjectsTaken && isDue(takenAt, HOUSEKEEPING_INTERVAL, now);
        if (taken || leads && isDue(cleanedAt, HOUSEKEEPING_INTERVAL, now)) {
            cleanedAt = now;
            takenAt = taken ? now : takenAt;
            subjectsTaken = false;
            housekeeping.step();
        }
        return CARE_INTERVAL;
    }

    /** A stream or a list of partitions that would be refused at the start is a problem of a worker that runs. */
    private void lookAtStream() {
        try {
            reportUnfit(context.stream().state());
        } catch (InvalidInputException unfit) {
            context.problems().report("stream", String.valueOf(unfit.getMessage()));
        }
    }

    /** Says what is to be changed on the stream, until it is. */
    private void reportUnfit(StreamState state) {
        List<String> warnings = plan.check(state, directory.partitions().orElseGet(plan::partitions), mode.get());
        if (warnings.isEmpty()) {
            context.problems().clear("stream");
        } else {
            context.problems().report("stream", String.join("; ", warnings));
        }
    }

    private void reportSubjects(String problem) {
        if (problem.isEmpty()) {
            context.problems().clear("subjects");
        } else {
            context.problems().report("subjects", problem);
        }
    }

    private static boolean isDue(long last, Duration interval, long now) {
        return now - last >= interval.toNanos();
    }

    private void readDirectory() {
        PartitionMap read = directory.read();
        synchronized (this) {
            if (read.version() <= partitions.version()) {
                return;
            }
            partitions = read;
        }
        owned.current().ifPresent(Session::repartitioned);
    }

    /** Sends no further pull requests and begins no further handler calls, until {@link #resume}. Partitions stay owned. */
    public void pause() {
        paused = true;
    }

    public void resume() {
        paused = false;
        owned.current().ifPresent(Session::kick);
    }

    /** Hands all partitions over to the other workers and leaves the group, as {@link #close} does; visible as DRAINING. */
    public void drain() {
        draining = true;
        close();
    }

    public WorkerCounters counters() {
        return context.counters();
    }

    public WorkerStatus status() {
        Optional<Session> session = owned.current();
        GroupStatus member = group.status();
        return new WorkerStatus(
                plan.prefix(),
                member.member(),
                member.incarnation(),
                state(member),
                session.map(now -> now.feeding().consumers()).orElse(List.of()),
                session.map(now -> now.feeding().subjects()).orElse(0),
                session.map(Session::queued).orElse(0),
                session.map(Session::statuses).orElse(List.of()),
                mode.get(),
                migration.status().orElse(null),
                context.problems().texts());
    }

    private WorkerStatus.State state(GroupStatus member) {
        if (closed) {
            return WorkerStatus.State.STOPPED;
        }
        if (draining) {
            return WorkerStatus.State.DRAINING;
        }
        if (member.member().isEmpty()) {
            return WorkerStatus.State.JOINING;
        }
        return paused ? WorkerStatus.State.PAUSED : WorkerStatus.State.RUNNING;
    }

    /** Background loops that fail although NATS answers, or that ended: a restart of the process may help. */
    public List<LoopFailure> failingLoops() {
        return context.loops().failing();
    }

    /** How this worker sees its group: members, leader, partitions without an owner. */
    public GroupStatus group() {
        return group.status();
    }

    /** Claims, losses and moves as this worker's part of the group counts them. */
    public GroupCounters groupCounters() {
        return group.counters();
    }

    /** Hands the partitions over and leaves; handlers get the handoff timeout to finish. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        draining = true;
        group.close();
        closed = true;
        care.raise();
        migrate.raise();
        windows.raise();
        migration.close();
        owned.close();
        watch.close();
        modeWatch.close();
        plan.close();
    }
}
