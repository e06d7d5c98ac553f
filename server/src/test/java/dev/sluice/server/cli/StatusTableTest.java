package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class StatusTableTest {

    @Test
    void aBackendThatCouldNotBeOpenedIsShownWithWhatToDo() {
        var status = BsonDocument.parse("""
                {"status": "unhealthy", "uptimeSeconds": 5, "version": "1", "consumers": [], "backends": [
                  {"name": "a", "status": "failed", "lastEventTime": null, "lagSeconds": null, "reason": "move it away"},
                  {"name": "b", "status": "healthy", "lastEventTime": null, "lagSeconds": 2, "events": 7, "bytes": 2048,
                   "ingested": 9}]}""");
        assertThat(StatusTable.of(status))
                .containsPattern("a +failed +- +- +- +- +-\n")
                .containsPattern("b +healthy +2 s +- +7 +2 KiB +9\n")
                .contains("! a: move it away");
    }
}
