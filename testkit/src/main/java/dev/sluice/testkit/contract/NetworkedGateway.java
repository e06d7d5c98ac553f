package dev.sluice.testkit.contract;

import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;

/** A gateway that listens on a port, behind a network that can be turned bad: it is gone when that is cut. */
public abstract class NetworkedGateway extends AnsweringGateway {
    @SuppressWarnings("NullAway.Init") // set by whoever implements it, at the end of its constructor
    private FaultProxy network;

    /** For implementations, as soon as they listen. */
    protected final void listensAt(int port) {
        network = FaultProxy.inFrontOf(port);
    }

    /** Where deliverers connect. */
    protected final String hostAndPort() {
        return "127.0.0.1:" + network.port();
    }

    /** How often somebody connected. */
    public final long connections() {
        return network.connections();
    }

    public final void dropConnections() {
        network.dropConnections();
    }

    @Override
    public final void vanish() {
        network.cut();
    }

    @Override
    public final void comeBack() {
        network.heal();
    }

    @Override
    public final void hang() {
        network.set(new Fault.Stall());
    }

    @Override
    public final void goOn() {
        network.heal();
    }

    @Override
    public void close() {
        network.close();
    }
}
