package dev.sluice.etcd;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.model.InvalidInputException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Checkpoints as keys {@code {prefix}checkpoints/{name}} in etcd; reads are linearizable. */
public final class EtcdCheckpoints implements CheckpointStore {
    public static final String DEFAULT_PREFIX = "/sluice/";

    private final EtcdAccess access;
    private final Client client;
    private final String folder;
    private final Duration timeout;

    /** @param timeout how long an answer may take */
    public EtcdCheckpoints(EtcdAccess access, String prefix, Duration timeout) {
        this.access = access;
        this.client = access.client(access.endpoints()).connectTimeout(timeout).build();
        this.folder = prefix + "checkpoints/";
        this.timeout = timeout;
    }

    @Override
    public void save(String name, Checkpoint checkpoint) {
        reach("save", client.getKVClient().put(key(name), ByteSequence.from(checkpoint.encode())));
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return reach("read", client.getKVClient().get(key(name))).getKvs().stream()
                .findFirst()
                .map(EtcdCheckpoints::checkpoint);
    }

    @Override
    public Map<String, Checkpoint> list() {
        ByteSequence start = bytes(folder);
        GetOption below = GetOption.builder().isPrefix(true).build();
        Map<String, Checkpoint> all = new TreeMap<>();
        for (KeyValue found :
                reach("list", client.getKVClient().get(start, below)).getKvs()) {
            all.put(found.getKey().toString(StandardCharsets.UTF_8).substring(folder.length()), checkpoint(found));
        }
        return all;
    }

    @Override
    public void delete(String name) {
        reach("delete", client.getKVClient().delete(key(name)));
    }

    private static Checkpoint checkpoint(KeyValue found) {
        try {
            return Checkpoint.decode(found.getValue().getBytes());
        } catch (InvalidInputException damaged) {
            throw new CheckpointException(
                    "The value of " + found.getKey() + " in etcd is no checkpoint: restore it, or delete the key.",
                    damaged);
        }
    }

    private ByteSequence key(String name) {
        return bytes(folder + CheckpointStore.checkName(name));
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private <T> T reach(String what, CompletableFuture<T> call) {
        try {
            return call.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            call.cancel(true);
            throw unreachable(what, failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw unreachable(what, stopped);
        }
    }

    private CheckpointException unreachable(String what, Exception cause) {
        Throwable why = cause instanceof ExecutionException && cause.getCause() != null ? cause.getCause() : cause;
        return new CheckpointException(
                "Cannot " + what + " checkpoints below " + folder + " in etcd at " + access
                        + ": see that its endpoints are right, it has a leader and lets us in ("
                        + (why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage()) + ").",
                cause);
    }

    @Override
    public void close() {
        client.close();
    }
}
