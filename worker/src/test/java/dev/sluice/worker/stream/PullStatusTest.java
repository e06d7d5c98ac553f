package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PullStatusTest {
    @ParameterizedTest
    @CsvSource({
        "100, Idle Heartbeat, HEARTBEAT",
        "404, No Messages, ENDED",
        "408, Request Timeout, ENDED",
        "408, Interest Expired, ENDED",
        "409, Batch Completed, ENDED",
        "409, Message Size Exceeds MaxBytes, EXCEEDED_BYTES",
        "409, Exceeded MaxWaiting, TOO_MANY_REQUESTS",
        "409, Exceeded MaxAckPending, TOO_MANY_REQUESTS",
        "409, Exceeded MaxRequestBatch of 10, TOO_MANY_REQUESTS",
        "409, Consumer Deleted, BROKEN",
        "409, Leadership Change, BROKEN",
        "409, Server Shutdown, BROKEN",
        "409, Consumer is push based, BROKEN",
        "503, No Responders Available For Request, BROKEN",
        "400, Bad Request - heartbeat value too large, BROKEN",
    })
    void aStatusBreaksThePullOnlyWhenTheConsumerCannotBeAskedAgain(int code, String text, PullStatus kind) {
        assertThat(PullStatus.of(code, text)).isEqualTo(kind);
    }
}
