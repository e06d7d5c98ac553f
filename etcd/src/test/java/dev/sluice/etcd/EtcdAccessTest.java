package dev.sluice.etcd;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdAccessTest {
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:2379, https://127.0.0.1:2380",
        "https://127.0.0.1:2379, http://127.0.0.1:2380",
        "HTTPS://127.0.0.1:2379, http://127.0.0.1:2380"
    })
    void aMixOfEncryptedAndPlainEndpointsIsRefused(String first, String second) {
        assertThatThrownBy(() -> EtcdAccess.to(first, second))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("mix http:// and https://");
    }

    @Test
    void allOfOneKindAreTaken() {
        EtcdAccess.to("http://127.0.0.1:2379", "http://127.0.0.1:2380");
        EtcdAccess.to("https://127.0.0.1:2379", "HTTPS://127.0.0.1:2380");
    }
}
