package dev.sluice.server.config;

import dev.sluice.net.BindRefusedException;
import dev.sluice.net.Listening;
import dev.sluice.server.config.yaml.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Tries every port before anything starts, so that ports in use are reported together and nothing is half started.
 * Another process may still take one in between: the server that binds it then says so itself.
 */
public final class PortCheck {

    private PortCheck() {}

    /** One problem per port that cannot be bound now; each is free again afterwards. */
    public static List<Problem> problems(List<Listener> listeners, SecurityConfig security) {
        var problems = new ArrayList<Problem>();
        for (var listener : listeners) {
            try {
                Listening.open("this server", listener.address(), listener.protection(security))
                        .close();
            } catch (BindRefusedException | IOException e) {
                problems.add(new Problem(0, listener.key(), String.valueOf(e.getMessage())));
            }
        }
        return List.copyOf(problems);
    }
}
