package dev.sluice.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.JsonText;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class JsonBufferPropertiesTest {
    private static final String SURROGATES = "ab\"\\\n\u0000\u007f\u0080é€\ud83d\ude00\ud83d\udc00";

    @Example
    void aStringIsQuotedAsGatewaysAlwaysGotIt() {
        String text = "a\"b\\c/\n\u0000\u001f\u007f\u00e9\u2028\ud83d\ude00\ud83d.\ude00\ud83d";
        String expected = "\"a\\\"b\\\\c/\\u000a\\u0000\\u001f\u007f\u00e9\u2028\ud83d\ude00\\ud83d.\\ude00\\ud83d\"";
        StringBuilder characters = new StringBuilder("before ");
        JsonText.quote(text, characters);
        assertThat(characters).hasToString("before " + expected);
        JsonBuffer bytes = new JsonBuffer(0);
        assertThat(bytes.quote(text).toByteArray()).isEqualTo(expected.getBytes(UTF_8));
    }

    @Property
    void anyStringIsQuotedCharacterByCharacter(@ForAll long seed) {
        RandomBson random = new RandomBson(seed);
        StringBuilder text = new StringBuilder(random.text());
        for (int k = random.upTo(8); k > 0; k--) {
            text.append(SURROGATES.charAt(random.upTo(SURROGATES.length())));
        }
        JsonBuffer out = new JsonBuffer(0);
        out.quote(text.toString());
        assertThat(new String(out.toByteArray(), UTF_8)).isEqualTo(quotedSimply(text.toString()));
    }

    /** An unpaired surrogate is a code point of its own. */
    private static String quotedSimply(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(point -> {
            if (point == '"' || point == '\\') {
                quoted.append('\\').appendCodePoint(point);
            } else if (point < ' ' || Character.getType(point) == Character.SURROGATE) {
                quoted.append(String.format("\\u%04x", point));
            } else {
                quoted.appendCodePoint(point);
            }
        });
        return quoted.append('"').toString();
    }

    @Property
    void anyNumberIsWrittenInDecimalDigits(@ForAll long value, @ForAll int small) {
        JsonBuffer out = new JsonBuffer(0);
        out.number(value).number(small).number(value % 1000);
        assertThat(new String(out.toByteArray(), UTF_8)).isEqualTo("" + value + small + value % 1000);
    }
}
