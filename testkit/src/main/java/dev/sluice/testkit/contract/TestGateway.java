package dev.sluice.testkit.contract;

import dev.sluice.deliver.GatewayAddress;
import java.util.List;

/** A gateway somewhere else, reached by one protocol, that a test may hurt. */
public interface TestGateway extends AutoCloseable {
    GatewayAddress address();

    /** All it got so far, in the order of its arrival; repeats are there as often as they came. */
    List<Received> received();

    /** Nobody is there any more. */
    void vanish();

    void comeBack();

    /** It, or the way to it, takes everything and says nothing. */
    void hang();

    void goOn();

    @Override
    void close();
}
