package dev.sluice.server.config;

import dev.sluice.server.config.yaml.DataSize;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;

/** Where messages go that fail for good. */
public record WorkerDlq(
        @Setting(
                fallback = "SLUICE_WORKER_DLQ",
                meaning = "The stream that keeps dead letters; it is made at the start where there is none.")
        String stream,

        @Setting(
                fallback = "1GiB",
                meaning = "Size of a stream that is made; when it is full, a partition with a dead letter waits.")
        DataSize maxBytes) {

    public WorkerDlq {
        new Rules()
                .require(
                        stream.matches("[A-Za-z0-9_-]{1,64}"),
                        "must be 1 to 64 letters, digits, _ or -, because subjects begin with it",
                        "stream")
                .positive(maxBytes, "maxBytes")
                .enforce();
    }
}
