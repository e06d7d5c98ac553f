package dev.sluice.http;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.AnsweredDelivererContract;
import dev.sluice.testkit.contract.AnsweringGateway;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract over cleartext HTTP/2. */
class HttpDelivererTest extends AnsweredDelivererContract {
    @Override
    protected AnsweringGateway newGateway() {
        return new HttpTestGateway(Optional.empty());
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new HttpDeliverer(gateway, HttpDelivery.of("node-1", timeout));
    }

    @Test
    void onlyABreakdownOfTheGatewayMayBeTheEventsFault() throws Exception {
        HttpTestGateway gateway = opened(new HttpTestGateway(Optional.empty()));
        Deliverer deliverer = to(gateway, PATIENT);
        for (int status : new int[] {500, 501, 505, 507, 599}) {
            gateway.answerStatus(status);
            assertThat(outcome(deliverer, batch(gateway, 1, 2)))
                    .isEqualTo(new BatchOutcome.RetryLater("HTTP " + status + ": so it is", Optional.empty(), true));
        }
        for (int status : new int[] {201, 302, 401, 403, 404, 405, 408, 410, 429, 502, 503, 504}) {
            gateway.answerStatus(status);
            assertThat(outcome(deliverer, batch(gateway, 1, 2)))
                    .isEqualTo(new BatchOutcome.RetryLater("HTTP " + status + ": so it is", Optional.empty(), false));
        }
    }

    @Test
    void anEmptyBodyOf200AcceptsTheWholeBatch() throws Exception {
        HttpTestGateway gateway = opened(new HttpTestGateway(Optional.empty()));
        Deliverer deliverer = to(gateway, PATIENT);
        for (String body : new String[] {"", " \r\n"}) {
            gateway.answerOk(body);
            assertThat(outcome(deliverer, batch(gateway, 1, 6))).isEqualTo(BatchOutcome.DELIVERED);
        }
    }

    /** Row 16 of issue 12. */
    @Test
    void thePageOfAProxyIsNoAcknowledgementAndTheReasonShowsIt() throws Exception {
        HttpTestGateway gateway = opened(new HttpTestGateway(Optional.empty()));
        gateway.answerOk("<html><body>Please sign in</body></html>");
        assertThat(outcome(to(gateway, PATIENT), batch(gateway, 1, 6)))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.reason()).contains("no acknowledgement", "Please sign in"));
    }

    /** Another gateway that got its port must be able to tell that the batch is not for it. */
    @Test
    void theGatewayIsNamedWhateverItsAlphabet() throws Exception {
        HttpTestGateway gateway = opened(new HttpTestGateway(Optional.empty()));
        GatewayAddress named = new GatewayAddress(
                "Zürich 100% 😀", Protocol.HTTP, gateway.address().endpoint());
        assertThat(outcome(opened(newDeliverer(named, PATIENT)), batch(gateway, 1, 2)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.headers).anyMatch("X-Sluice-Gateway: Z%C3%BCrich%20100%25%20%F0%9F%98%80"::equalsIgnoreCase);
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return Stream.of(
                        "somewhere",
                        "localhost:8090",
                        "ftp://localhost",
                        "http://",
                        "http:///path",
                        "http://localhost:99999",
                        "http://localhost?x=1",
                        "http://localhost#x",
                        "http://local host")
                .map(endpoint -> new GatewayAddress("gw", Protocol.HTTP, endpoint))
                .toList();
    }
}
