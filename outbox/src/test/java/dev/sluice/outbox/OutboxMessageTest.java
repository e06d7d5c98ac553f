package dev.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OutboxMessageTest {
    private static void assertRefused(String why, Consumer<OutboxMessage.Builder> change) {
        OutboxMessage.Builder builder = OutboxMessage.to("orders").key("42");
        assertThat(builder.build()).isNotNull();
        change.accept(builder);
        assertThatThrownBy(builder::build)
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(why);
    }

    @Test
    void whatADatabaseCannotStoreAsItIsIsRefusedBeforeItIsWritten() {
        assertRefused("key has 1 to 255", builder -> builder.key(""));
        assertRefused("key has 1 to 255", builder -> builder.key("k".repeat(256)));
        assertRefused("type has at most 255", builder -> builder.type("t".repeat(256)));
        assertRefused("key has neither zero", builder -> builder.key("a\0b"));
        assertRefused("key has neither zero", builder -> builder.key("a\ud800b"));
        assertRefused("type has neither zero", builder -> builder.type("\udc00"));
        assertRefused("priority is 0 to 9", builder -> builder.priority(10));
        assertRefused("priority is 0 to 9", builder -> builder.priority(-1));
    }
}
