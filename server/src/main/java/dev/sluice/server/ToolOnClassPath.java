package dev.sluice.server;

import java.util.spi.ToolProvider;

/**
 * A tool of a module that the server does not depend on: looked up by the name of its class when a command needs it. So a server is
 * built and installed without the development database and the benchmarks.
 */
public final class ToolOnClassPath {
    private ToolOnClassPath() {}

    /**
     * @param type the name of a class that implements {@link ToolProvider}
     * @param module the module it is in
     * @throws IllegalStateException when it is not on the class path; the message says how to get it
     */
    public static ToolProvider find(String type, String module) {
        try {
            return Class.forName(type)
                    .asSubclass(ToolProvider.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException absent) {
            throw new IllegalStateException(
                    "the module " + module
                            + " is not on the class path: start this command by ./sluice from a source tree,"
                            + " which builds it, or add the jar of " + module + " to the class path",
                    absent);
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException("the tool " + type + " cannot be started: " + broken, broken);
        }
    }
}
