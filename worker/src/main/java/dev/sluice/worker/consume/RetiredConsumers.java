package dev.sluice.worker.consume;

import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumers of this worker that are used no more, until they are deleted. */
final class RetiredConsumers {
    private static final Logger LOG = LoggerFactory.getLogger(RetiredConsumers.class);

    private final WorkerContext context;
    private final Map<String, Retired> names = new LinkedHashMap<>();

    private record Retired(Collection<String> filters, BooleanSupplier mayGo) {}

    RetiredConsumers(WorkerContext context) {
        this.context = context;
    }

    /** @param mayGo whether it may be deleted now */
    synchronized void add(String name, Collection<String> filters, BooleanSupplier mayGo) {
        names.put(name, new Retired(filters, mayGo));
    }

    /** Whether a consumer that may still exist has this filter. */
    synchronized boolean have(String filter) {
        return names.values().stream().anyMatch(retired -> retired.filters().contains(filter));
    }

    private synchronized Map<String, Retired> all() {
        return new LinkedHashMap<>(names);
    }

    /** Deletes what may be deleted; false when the server gave no answer. */
    boolean step() {
        for (Map.Entry<String, Retired> retired : all().entrySet()) {
            String name = retired.getKey();
            try {
                if (retired.getValue().mayGo().getAsBoolean()) {
                    context.stream().consumers().delete(name);
                    remove(name);
                }
            } catch (StreamUnavailableException e) {
                return false;
            } catch (StreamRefusedException e) {
                LOG.warn("Consumer {} cannot be deleted: {}", name, e.getMessage());
                remove(name);
            }
        }
        return true;
    }

    private synchronized void remove(String name) {
        names.remove(name);
    }
}
