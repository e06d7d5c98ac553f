package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\u0000", "\u007f", "\u0085", "half \ud83d", "\ude00 half", "\ude00\ud83d"})
    void whatIsNoTextOnOneLineIsNeitherIdNorEndpoint(String text) {
        assertThatThrownBy(() -> new GatewayAddress(text, Protocol.HTTP, "http://localhost"))
                .isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> new GatewayAddress("gw", Protocol.HTTP, text))
                .isInstanceOf(InvalidInputException.class);
    }

    @Test
    void lettersOfAllAlphabetsAreFine() {
        String id = "Zürich 😀 \u2028";
        assertThat(new GatewayAddress(id, Protocol.HTTP, "http://localhost").id())
                .isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nats://anna:secret@localhost:4222",
                "nats://localhost,anna:secret@host",
                "http://secret@localhost",
                "nats://anna:se/secret@localhost"
            })
    void anEndpointWithAPasswordIsRefusedAndNotRepeated(String endpoint) {
        for (Protocol protocol : Protocol.values()) {
            assertThatThrownBy(() -> new GatewayAddress("gw", protocol, endpoint))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageNotContaining("secret");
        }
    }
}
