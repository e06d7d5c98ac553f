package dev.sluice.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches one prefix for as long as it is wanted. Whatever ends the watch at etcd (a restart, a compaction, a member without a
 * leader, a new client) it is made again, and every making counts as a change: nobody knows what happened before it stood.
 */
final class EtcdWatch {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdWatch.class);
    private static final WatchOption OPTION = WatchOption.builder()
            .isPrefix(true)
            .withCreateNotify(true)
            .withRequireLeader(true)
            .build();
    /** jetcd calls its listeners under its own lock: what calls jetcd back must not run there. */
    private static final Executor SOON = CompletableFuture.delayedExecutor(
            200,
            TimeUnit.MILLISECONDS,
            task -> Thread.ofVirtual().name("etcd-watch").start(task));

    private final EtcdConnection etcd;
    private final String folder;
    private final String prefix;
    private final Consumer<String> changed;
    private volatile boolean closed;
    private volatile Attempt last;

    /** @param folder of all values or all leases in etcd; it is no part of the keys that are told */
    EtcdWatch(EtcdConnection etcd, String folder, String prefix, Consumer<String> changed) {
        this.etcd = etcd;
        this.folder = folder;
        this.prefix = prefix;
        this.changed = changed;
        this.last = new Attempt(etcd.client());
    }

    void start() {
        last.begin();
    }

    private void again(Attempt ended) {
        ended.stop();
        if (!closed) {
            etcd.replaceIfHopeless(ended.client);
            last = new Attempt(etcd.client());
            last.begin();
        }
        if (closed) {
            last.stop();
        }
    }

    void close() {
        closed = true;
        last.stop();
    }

    /** One watch at etcd, until its first end; jetcd would go on trying after some ends and not after others. */
    private final class Attempt implements Watch.Listener {
        private final Client client;
        private final CompletableFuture<Watch.Watcher> watcher = new CompletableFuture<>();
        private final AtomicBoolean ended = new AtomicBoolean();

        Attempt(Client client) {
            this.client = client;
        }

        void begin() {
            ByteSequence whole = ByteSequence.from(folder + prefix, UTF_8);
            try {
                watcher.complete(client.getWatchClient().watch(whole, OPTION, this));
            } catch (RuntimeException clientWasReplaced) {
                onError(clientWasReplaced);
            }
        }

        void stop() {
            ended.set(true);
            watcher.thenAccept(Watch.Watcher::close);
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify() || response.getEvents().isEmpty()) {
                tell(prefix);
            }
            response.getEvents()
                    .forEach(event ->
                            tell(event.getKeyValue().getKey().toString(UTF_8).substring(folder.length())));
        }

        private void tell(String key) {
            if (!ended.get()) {
                changed.accept(key);
            }
        }

        @Override
        public void onError(Throwable problem) {
            LOG.atDebug().setCause(problem).addKeyValue("prefix", prefix).log("watch ended");
            onCompleted();
        }

        @Override
        public void onCompleted() {
            if (!ended.getAndSet(true)) {
                SOON.execute(() -> again(this));
            }
        }
    }
}
