package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DebianPackageTest {

    private final DebianPackage debian = new DebianPackage("thing", "sid");

    @Test
    void aMachineWithoutMirrorsIsToldSo() {
        assertThatThrownBy(() -> debian.tryEach(List.of(), mirror -> {}))
                .hasMessageContaining("names no Debian mirror");
    }

    @Test
    void mirrorsThatFailAreCountedAndTheLastOneQuoted() {
        assertThatThrownBy(() -> debian.tryEach(List.of("one", "two"), mirror -> {
                    throw new IOException("apt-get ended with 100: Reading\nE: cannot reach " + mirror);
                }))
                .hasMessage("none of 2 mirrors has sid: E: cannot reach two");
    }

    @Test
    void theFirstMirrorThatWorksIsEnough() throws IOException {
        List<String> tried = new ArrayList<>();
        debian.tryEach(List.of("one", "two", "three"), mirror -> {
            tried.add(mirror);
            if (mirror.equals("one")) {
                throw new IOException("not this one");
            }
        });
        assertThat(tried).containsExactly("one", "two");
    }
}
