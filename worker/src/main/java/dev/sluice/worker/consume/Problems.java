package dev.sluice.worker.consume;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Present problems of a worker, for its status and for health. Each problem is logged when it comes and when it goes. */
public final class Problems {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    private static final List<String> OF_CONSUMERS =
            List.of("consumer-updates", "subject-cap", "loop-worker-feeding-", "loop-worker-deletes-");

    private final Map<String, String> texts = new ConcurrentSkipListMap<>();

    public void report(String key, String text) {
        if (!text.equals(texts.put(key, text))) {
            LOG.warn("{}", text);
        }
    }

    /** As {@link #report}, for a problem that only an operator can solve: logged once, as an error, while it lasts. */
    public void error(String key, String text) {
        if (texts.put(key, text) == null) {
            LOG.error("{}", text);
        }
    }

    public void clear(String key) {
        String text = texts.remove(key);
        if (text != null) {
            LOG.info("No longer: {}", text);
        }
    }

    /** Problems that the consumers of the worker may cause, by key; a copy. */
    public SortedMap<String, String> ofConsumers() {
        SortedMap<String, String> found = new TreeMap<>(texts);
        found.keySet().removeIf(key -> OF_CONSUMERS.stream().noneMatch(key::startsWith));
        return found;
    }

    public List<String> texts() {
        return List.copyOf(texts.values());
    }
}
