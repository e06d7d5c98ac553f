package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;

/** Told of every change, one after the other. */
public interface GatewayListener {
    /** It registered, came back, or has another address now. */
    void up(GatewayAddress gateway);

    /** It registered though it was up, and where it was: it may have started anew and have forgotten what it was told. */
    default void registeredAgain(GatewayAddress gateway) {}

    /** Its lease ended: what it is owed waits for it. */
    void away(String gatewayId);

    /** It stayed away longer than the grace, or was removed. */
    void gone(String gatewayId);
}
