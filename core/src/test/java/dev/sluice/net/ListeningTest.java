package dev.sluice.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Promise 5: loopback by default, and never further without TLS and a credential. */
class ListeningTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "localhost:0", "[::1]:0", ":0", "127.9.9.9:0"})
    void allowsLoopbackToEverybody(String address) {
        InetSocketAddress permitted = Listening.permit("test", ListenAddress.parse(address), Protection.NONE);
        assertThat(permitted.getAddress().isLoopbackAddress()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true"})
    void refusesOtherAddressesWithoutBothTlsAndACredential(boolean tls, boolean credential) {
        Protection half = new Protection(tls, credential, false);
        for (String address : new String[] {"0.0.0.0:0", "[::]:0", "10.1.2.3:0", "192.0.2.1:0"}) {
            assertThatThrownBy(() -> Listening.permit("puller.grpc", ListenAddress.parse(address), half))
                    .isInstanceOf(BindRefusedException.class)
                    .hasMessageContaining("puller.grpc")
                    .hasMessageContaining("security.insecure: true");
        }
    }

    @Test
    void allowsOtherAddressesWithBothOrWhenToldThatTheNetworkIsTrusted() {
        ListenAddress everywhere = ListenAddress.parse("0.0.0.0:0");
        assertThatCode(() -> Listening.permit("test", everywhere, new Protection(true, true, false)))
                .doesNotThrowAnyException();
        assertThatCode(() -> Listening.permit("test", everywhere, new Protection(false, false, true)))
                .doesNotThrowAnyException();
    }

    @Test
    void saysWhatToDoAboutAPortInUse() throws IOException {
        try (ServerSocket first = Listening.open("first", ListenAddress.loopback(0), Protection.NONE)) {
            int port = first.getLocalPort();
            assertThatThrownBy(() -> Listening.open("second", ListenAddress.loopback(port), Protection.NONE))
                    .isInstanceOf(BindRefusedException.class)
                    .hasMessageContaining("second cannot listen on 127.0.0.1:" + port)
                    .hasMessageContaining("configure another");
        }
    }

    @Test
    void opensNothingThatIsNotPermitted() {
        assertThatThrownBy(() -> Listening.open("x", ListenAddress.parse("0.0.0.0:0"), Protection.NONE))
                .isInstanceOf(BindRefusedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "localhost", "localhost:", "localhost:http", "localhost:65536", "localhost:-1", "::1:80"})
    void refusesWhatIsNotAnAddress(String text) {
        assertThatThrownBy(() -> ListenAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEmptyHostMeansLoopbackNotEveryInterface() {
        assertThat(ListenAddress.parse(":50051")).hasToString("127.0.0.1:50051");
        assertThat(ListenAddress.parse("[::1]:80")).hasToString("[::1]:80");
    }
}
