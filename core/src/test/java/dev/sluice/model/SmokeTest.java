package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SmokeTest {
    @Test
    void runs() {
        assertThat(Runtime.version().feature()).isEqualTo(25);
    }

    @Property
    boolean prop(@ForAll int i) {
        return i + 0 == i;
    }
}
