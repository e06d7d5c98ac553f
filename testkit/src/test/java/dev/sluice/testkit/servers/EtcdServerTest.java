package dev.sluice.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.WatchOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EtcdServerTest extends RealServerContract<EtcdServer> {

    private static final ByteSequence TEXTS = bytes("texts/");

    @Override
    EtcdServer startPrivate() {
        return EtcdServer.startPrivate();
    }

    @Override
    EtcdServer shared() {
        return EtcdServer.shared();
    }

    @Override
    Client connect(EtcdServer server) {
        return new EtcdClient(client(server));
    }

    @Test
    void aWatchSeesAPut() throws Exception {
        try (var client = client(EtcdServer.shared())) {
            var seen = new CompletableFuture<String>();
            var created = new CompletableFuture<Void>();
            var option = WatchOption.builder().withCreateNotify(true).build();
            var listener = Watch.listener(answer -> {
                created.complete(null);
                answer.getEvents()
                        .forEach(event ->
                                seen.complete(event.getKeyValue().getValue().toString(UTF_8)));
            });
            try (var watch = client.getWatchClient().watch(bytes("watched"), option, listener)) {
                assertThat(watch.isClosed()).isFalse();
                created.get(10, TimeUnit.SECONDS);
                client.getKVClient().put(bytes("watched"), bytes("seen")).get(10, TimeUnit.SECONDS);
                assertThat(seen.get(10, TimeUnit.SECONDS)).isEqualTo("seen");
            }
        }
    }

    private static io.etcd.jetcd.Client client(EtcdServer server) {
        return io.etcd.jetcd.Client.builder().endpoints(server.url()).build();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private record EtcdClient(io.etcd.jetcd.Client client) implements Client {

        @Override
        public void write(String text, Duration patience) throws Exception {
            var key = bytes("texts/%020d".formatted(System.nanoTime()));
            kv().put(key, bytes(text)).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public List<String> readAll() throws Exception {
            var all = GetOption.builder().isPrefix(true).build();
            return kv().get(TEXTS, all).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).getKvs().stream()
                    .map(found -> found.getValue().toString(UTF_8))
                    .toList();
        }

        private KV kv() {
            return client.getKVClient();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
