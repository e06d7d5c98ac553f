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
        StringBuilder characters = new StringBuilder();
        JsonText.quote(text, characters);
        assertThat(characters).hasToString(expected);
        JsonBuffer bytes = new JsonBuffer(0);
        assertThat(bytes.quote(text).toByteArray()).isEqualTo(expected.getBytes(UTF_8));
    }

    @Property
    void anyStringIsQuotedAsJsonTextQuotesIt(@ForAll long seed) {
        RandomBson random = new RandomBson(seed);
        StringBuilder text = new StringBuilder(random.text());
        for (int k = random.upTo(8); k > 0; k--) {
            text.append(SURROGATES.charAt(random.upTo(SURROGATES.length())));
        }
        StringBuilder expected = new StringBuilder();
        JsonText.quote(text, expected);
        JsonBuffer out = new JsonBuffer(0);
        out.quote(text.toString());
        assertThat(new String(out.toByteArray(), UTF_8)).isEqualTo(expected.toString());
    }

    @Property
    void anyNumberIsWrittenInDecimalDigits(@ForAll long value, @ForAll int small) {
        JsonBuffer out = new JsonBuffer(0);
        out.number(value).number(small).number(value % 1000);
        assertThat(new String(out.toByteArray(), UTF_8)).isEqualTo("" + value + small + value % 1000);
    }
}
