package dev.sluice.outbox.relay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import javax.sql.DataSource;

/** Counts how often a connection is taken, which is a transaction each, and how many values a statement had at most. */
final class CountingSource {
    private final DataSource source;
    int connections;
    int mostValues;
    int longestTimeout;

    CountingSource(DataSource source) {
        this.source = source;
    }

    DataSource counted() {
        return proxy(DataSource.class, source, (method, args, result) -> {
            if (result instanceof Connection connection) {
                connections++;
                return proxy(Connection.class, connection, this::counted);
            }
            return result;
        });
    }

    private Object counted(String method, Object[] args, Object result) {
        if (method.equals("setNetworkTimeout")) {
            longestTimeout = Math.max(longestTimeout, (int) args[1]);
        }
        if (result instanceof PreparedStatement) {
            String sql = args[0].toString();
            mostValues =
                    Math.max(mostValues, (int) sql.chars().filter(c -> c == '?').count());
        }
        return result;
    }

    /** What becomes of a call's result. */
    private interface After {
        Object apply(String method, Object[] args, Object result);
    }

    private static <T> T proxy(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                CountingSource.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    try {
                        return after.apply(method.getName(), args, method.invoke(target, args));
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                }));
    }
}
