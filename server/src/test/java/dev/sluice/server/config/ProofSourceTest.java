package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** A check that finds a key wherever its last word stands proves nothing. */
class ProofSourceTest {
    private static final String SOURCE = """
            class SomeTest {
                @BeforeEach
                void start() throws Exception {
                    new Setup(data).routing("dlq: {max_age: 2s}");
                }

                private Config config(String more) {
                    return parse("outbox:\\n  node: {id: n1}\\n" + more);
                }

                @Test
                void named() {
                    start(config("  name: shop\\n"));
                }

                @Test
                void other() {
                    parse("gateway: {address: ':0', id: g}\\noutbox: {total: {partitions: 6}}");
                }
            }
            """;

    private static ProofSource test(String method) {
        return new ProofSource(
                Map.of("server SomeTest", SOURCE, "server Setup", "class Setup { puller: {grpc: {address: ':%d'}} }"),
                "server SomeTest",
                method);
    }

    @Test
    void itSeesWhatTheTestItsHelpersAndItsSetupSet() {
        assertThat(test("named").values("outbox.node.id")).containsExactly("n1");
        assertThat(test("named").values("outbox.name")).containsExactly("shop");
        assertThat(test("named").values("routing.dlq.max_age")).containsExactly("2s");
        assertThat(test("named").values("puller.grpc.address")).containsExactly(":%d");
    }

    @Test
    void anotherTestOrAnotherSectionIsNoProof() {
        assertThat(test("named").values("gateway.id")).isEmpty();
        assertThat(test("other").values("outbox.node.id")).isEmpty();
        assertThat(test("other").values("routing.grpc.address")).isEmpty();
        assertThat(test("other").values("outbox.total.partitions")).containsExactly("6");
    }
}
