package dev.sluice.worker.consume;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is wrong with a worker now, for its status and for health. Each problem is logged when it comes and when it goes. */
public final class Problems {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    private final Map<String, String> texts = new ConcurrentSkipListMap<>();

    public void report(String key, String text) {
        if (!text.equals(texts.put(key, text))) {
            LOG.warn("{}", text);
        }
    }

    public void clear(String key) {
        String text = texts.remove(key);
        if (text != null) {
            LOG.info("No longer: {}", text);
        }
    }

    public List<String> texts() {
        return List.copyOf(texts.values());
    }
}
