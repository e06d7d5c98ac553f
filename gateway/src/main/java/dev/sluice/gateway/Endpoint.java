package dev.sluice.gateway;

import dev.sluice.deliver.Protocol;

/** Where this gateway takes its events; it does from the moment it is made. */
interface Endpoint extends AutoCloseable {
    Protocol protocol();

    /** As the Streamer is told. */
    String address();

    /** Takes no more; what is being handled is answered. */
    @Override
    void close();
}
