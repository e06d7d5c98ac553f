package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackendNameTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "Z", "0", "_", "main", "eu-west.1", "a-", "a."})
    void plainNamesAreValid(String name) {
        assertThat(BackendName.isValid(name)).isTrue();
        assertThat(BackendName.isValid(name + "x".repeat(64 - name.length()))).isTrue();
        assertThat(BackendName.isValid(name + "x".repeat(65 - name.length()))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", ".a", "a b", "a/b", "é", "aé", "a\n", "a:", "@", "[", "`", "{"})
    void otherNamesAreNot(String name) {
        assertThat(BackendName.isValid(name)).isFalse();
    }
}
