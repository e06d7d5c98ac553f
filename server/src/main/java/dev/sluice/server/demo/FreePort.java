package dev.sluice.server.demo;

import dev.sluice.net.BindRefusedException;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import java.io.IOException;

/** The usual port, or the next one that is free. */
final class FreePort {
    private static final int TRIES = 100;

    private FreePort() {}

    static int from(int usual) {
        for (var port = usual; port < usual + TRIES; port++) {
            try {
                Listening.open("the demo", ListenAddress.loopback(port), Protection.NONE)
                        .close();
                return port;
            } catch (BindRefusedException | IOException taken) {
                // the next one
            }
        }
        throw new IllegalStateException(
                "no port from " + usual + " to " + (usual + TRIES - 1) + " is free; stop what uses them");
    }
}
