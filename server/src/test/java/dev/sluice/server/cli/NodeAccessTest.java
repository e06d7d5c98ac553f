package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.sluice.testkit.servers.SelfSigned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Row 32 of issue 12: commands against a node whose CA nobody else knows, and that asks for a certificate and a token. */
class NodeAccessTest {
    private static final String ANSWER = "{\"checkpoints\": []}";

    @TempDir
    private static Path folder;

    private static SelfSigned keys;
    private static HttpsServer node;

    @BeforeAll
    static void start() throws Exception {
        keys = SelfSigned.make(folder, "node");
        Files.writeString(folder.resolve("token"), "a-token-of-this-node\n");
        node = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        SSLContext own = PemTls.context(
                Optional.of(keys.certificate()), Optional.of(keys.certificate()), Optional.of(keys.key()));
        node.setHttpsConfigurator(new HttpsConfigurator(own) {
            @Override
            public void configure(HttpsParameters parameters) {
                var strict = own.getDefaultSSLParameters();
                strict.setNeedClientAuth(true);
                parameters.setSSLParameters(strict);
            }
        });
        node.createContext("/", exchange -> {
            boolean known = "Bearer a-token-of-this-node"
                    .equals(exchange.getRequestHeaders().getFirst("authorization"));
            byte[] body = (known ? ANSWER : "who are you?").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(known ? 200 : 401, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        node.start();
    }

    @AfterAll
    static void stop() {
        node.stop(0);
    }

    private static String ask(String... access) {
        String[] whole = new String[access.length + 5];
        System.arraycopy(
                new String[] {
                    "checkpoints",
                    "list",
                    "--json",
                    "--admin",
                    "127.0.0.1:" + node.getAddress().getPort()
                },
                0,
                whole,
                0,
                5);
        System.arraycopy(access, 0, whole, 5, access.length);
        return SluiceRun.of(whole);
    }

    @Test
    void theNodesCaACertificateAndATokenFileLetACommandIn() {
        assertThat(ask(
                        "--ca", keys.certificate().toString(),
                        "--cert", keys.certificate().toString(),
                        "--key", keys.key().toString(),
                        "--token-file", folder.resolve("token").toString()))
                .isEqualTo(ANSWER + "\n");
    }

    @Test
    void withoutTheCaTheSentenceNamesTheOption() {
        assertThat(SluiceRun.of(
                        "checkpoints",
                        "list",
                        "--admin",
                        "https://127.0.0.1:" + node.getAddress().getPort()))
                .contains("TLS with https://127.0.0.1", "--ca");
    }

    @Test
    void aCertificateWithoutItsKeyIsWrongUsage() {
        assertThat(ask("--cert", keys.certificate().toString())).contains("--cert and --key belong together");
    }

    @Test
    void anAddressWithoutTlsAndTheOptionsOfTlsAreWrongUsageAndNoTokenIsSent() throws Exception {
        var asked = new AtomicInteger();
        var plain = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        plain.createContext("/", exchange -> {
            asked.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        plain.start();
        try {
            var address = "http://127.0.0.1:" + plain.getAddress().getPort();
            assertThat(SluiceRun.of(
                            "checkpoints",
                            "list",
                            "--admin",
                            address,
                            "--ca",
                            keys.certificate().toString(),
                            "--token",
                            "a-token-of-this-node"))
                    .contains("--admin " + address + " is not encrypted, and --ca and --cert are for TLS");
            assertThat(asked).hasValue(0);
        } finally {
            plain.stop(0);
        }
    }
}
