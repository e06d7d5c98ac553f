package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressMarkerTest {
    private static final EventId ID = EventId.parse("1735567890-1-00000000000000a1");

    private static String base64(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void isBase64urlOfThePublishedJson() {
        ProgressMarker marker = new ProgressMarker(Map.of("vip", ID, "main_1", ID));
        assertThat(new String(Base64.getUrlDecoder().decode(marker.encode()), StandardCharsets.UTF_8))
                .isEqualTo("{\"p\":{\"main_1\":\"1735567890-1-00000000000000a1\","
                        + "\"vip\":\"1735567890-1-00000000000000a1\"}}");
        assertThat(marker.encode()).doesNotContain("=");
    }

    @Test
    void readsWhatAnotherLanguageWroteWithSpaces() {
        String json = " { \"p\" : { \"a\" : \"1-2-000000000000000f\" ,\n \"b\": \"3-4-0000000000000001\" } } ";
        assertThat(ProgressMarker.decode(base64(json)).positions())
                .containsEntry("a", EventId.parse("1-2-000000000000000f"))
                .containsEntry("b", EventId.parse("3-4-0000000000000001"));
    }

    @Test
    void movesOneBackendAndLeavesTheOthers() {
        ProgressMarker marker = new ProgressMarker(Map.of("a", ID, "b", ID));
        EventId later = EventId.parse("1735567891-1-00000000000000a1");
        assertThat(marker.with("b", later).positions()).containsEntry("a", ID).containsEntry("b", later);
        assertThat(marker.position("c")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"p\":null}",
                "{\"p\":{}",
                "{\"p\":{}}x",
                "{\"q\":{}}",
                "{\"p\":{\"a\":\"1-1-zz\"}}",
                "{\"p\":{\"a\":1}}",
                "{\"p\":{\"\":\"1-1-0000000000000000\"}}",
                "{\"p\":{\"../etc\":\"1-1-0000000000000000\"}}",
                "{\"p\":{\"a\\u0062\":\"1-1-0000000000000000\"}}",
                "{\"p\":{\"a\":\"1-1-0000000000000000\",}}",
                "{\"p\":{\"a\":\"1-1-0000000000000000\" \"b\":\"1-1-0000000000000000\"}}",
                "{\"p\":{\"a\":\"1-1-0000000000000000\",\"a\":\"1-1-0000000000000000\"}}",
                "{\"p\":{\"a\":\"1-1-0000000000000000",
                "\u0000",
            })
    void refusesOtherJsonWithAReason(String json) {
        assertThatThrownBy(() -> ProgressMarker.decode(base64(json)))
                .isExactlyInstanceOf(InvalidInputException.class)
                .message()
                .isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(strings = {"!", "a", "äöü", "eyJwIjp7fX0=x", "  ", "eyJw\nIjp7fX0"})
    void refusesWhatIsNotBase64(String text) {
        assertThatThrownBy(() -> ProgressMarker.decode(text))
                .isExactlyInstanceOf(InvalidInputException.class)
                .hasMessageContaining("progress marker");
    }

    @Test
    void refusesAnOversizedMarkerWithoutReadingIt() {
        assertThatThrownBy(() -> ProgressMarker.decode("e".repeat(ProgressMarker.MAX_LENGTH + 1)))
                .isExactlyInstanceOf(InvalidInputException.class)
                .hasMessageContaining("longer than");
    }
}
