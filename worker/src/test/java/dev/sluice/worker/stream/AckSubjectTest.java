package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AckSubjectTest {
    @Test
    void readsTheFormOfServersUpTo215() {
        assertThat(AckSubject.parse("$JS.ACK.ORDERS.worker-1.2.17.9.1700000000123456789.40"))
                .isEqualTo(new AckSubject(
                        "$JS.ACK.ORDERS.worker-1.2.17.9.1700000000123456789.40", 2, 17, 9, 1700000000123456789L, 40));
    }

    @Test
    void readsTheFormWithDomainAndAccount() {
        String subject = "$JS.ACK._.ACCOUNT.ORDERS.worker-1.1.17.9.1700000000123456789.0";
        assertThat(AckSubject.parse(subject)).isEqualTo(new AckSubject(subject, 1, 17, 9, 1700000000123456789L, 0));
        assertThat(AckSubject.parse(subject + ".x7Yz").streamSequence()).isEqualTo(17);
        assertThat(AckSubject.parse(subject + ".x7Yz").pending()).isZero();
    }

    @Test
    void refusesWhatIsNoAcknowledgement() {
        for (String other :
                new String[] {"", "a.b", "$JS.ACK.S.c.1.2.3.4", "$JS.API.S.c.1.2.3.4.5", "$JS.ACK.S.c.x.2.3.4.5"}) {
            assertThatThrownBy(() -> AckSubject.parse(other)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
