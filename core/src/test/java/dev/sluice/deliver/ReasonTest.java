package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ReasonTest {
    @Test
    void aReasonIsShortAndOnOneLine() {
        assertThat(Reason.brief(" it\r\n\tbroke\u0000 ")).isEqualTo("it broke");
        assertThat(Reason.brief("x".repeat(1_000_000))).hasSize(401).endsWith("x…");
    }

    @Test
    void noCharacterIsCutInHalf() {
        assertThat(Reason.brief("x" + "😀".repeat(300))).isEqualTo("x" + "😀".repeat(199) + "…");
    }

    @Test
    void whoeverWrappedItTheCauseSpeaks() {
        assertThat(Reason.of(new CompletionException(new IllegalStateException("away"))))
                .isEqualTo("away");
        assertThat(Reason.of(new IllegalStateException())).isEqualTo("IllegalStateException");
    }
}
