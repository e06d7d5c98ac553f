package dev.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerAddressesTest {
    @ParameterizedTest
    @CsvSource({
        "nats://anna:secret@host:4222,     nats://host:4222,  anna, secret",
        "http://anna:p%40ss%2Bw+d@host:79, http://host:79,    anna, p@ss+w+d",
        "nats://anna:p@ss:word@host:4222,  nats://host:4222,  anna, p@ss:word",
        "https://host:2379,                https://host:2379, ,"
    })
    void noAddressThatIsNamedHoldsThePassword(String text, String address, String user, String password) {
        ServerAddresses servers = ServerAddresses.of(List.of("http://other:1", text));
        assertThat(servers.addresses()).containsExactly("http://other:1", address);
        assertThat(servers.user()).isEqualTo(user);
        assertThat(servers.password()).isEqualTo(password);
        assertThat(servers).hasToString("http://other:1," + address);
    }
}
