package dev.sluice.http;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.AnsweredDelivererContract;
import dev.sluice.testkit.contract.AnsweringGateway;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

    @Override
    protected List<GatewayAddress> nonsense() {
        return Stream.of(
                        "somewhere",
                        "localhost:8090",
                        "ftp://localhost",
                        "http://",
                        "http:///path",
                        "http://localhost:99999",
                        "http://me:secret@localhost",
                        "http://localhost?x=1",
                        "http://localhost#x",
                        "http://local host")
                .map(endpoint -> new GatewayAddress("gw", Protocol.HTTP, endpoint))
                .toList();
    }
}
