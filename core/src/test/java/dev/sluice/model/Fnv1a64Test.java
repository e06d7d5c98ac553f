package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pinned by the test vectors published with the FNV reference implementation. */
class Fnv1a64Test {
    @ParameterizedTest
    @CsvSource({
        "'', cbf29ce484222325",
        "a, af63dc4c8601ec8c",
        "b, af63df4c8601f1a5",
        "c, af63de4c8601eff2",
        "d, af63d94c8601e773",
        "e, af63d84c8601e5c0",
        "f, af63db4c8601ead9",
        "fo, 08985907b541d342",
        "foo, dcb27518fed9d577",
        "foob, dd120e790c2512af",
        "fooba, cac165afa2fef40a",
        "foobar, 85944171f73967e8",
        "'chongo was here!\n', 46810940eff5f915",
    })
    void hashesThePublishedVectors(String text, String expected) {
        long hash = HexFormat.fromHexDigitsToLong(expected);
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        assertThat(Fnv1a64.hash(bytes, 0, bytes.length)).isEqualTo(hash);
        assertThat(Fnv1a64.hash(text)).isEqualTo(hash);
    }

    @ParameterizedTest
    @ValueSource(strings = {"größe", "日本語", "a\uD83D\uDE00b", "\uD83D", "\uDE00x", "x\uD83Dy"})
    void hashesTextAsItsUtf8Bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertThat(Fnv1a64.hash(text)).isEqualTo(Fnv1a64.hash(bytes, 0, bytes.length));
    }
}
