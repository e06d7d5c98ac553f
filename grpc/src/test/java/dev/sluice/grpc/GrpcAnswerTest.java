package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import io.grpc.Status;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GrpcAnswerTest {
    private static final Set<Status.Code> BREAKDOWNS =
            EnumSet.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.DATA_LOSS);
    private static final Set<Status.Code> NOT_LATER =
            EnumSet.of(Status.Code.OK, Status.Code.FAILED_PRECONDITION, Status.Code.INVALID_ARGUMENT);

    @Test
    void onlyABreakdownOfTheGatewayMayBeTheEventsFault() {
        for (Status.Code code : EnumSet.complementOf(EnumSet.copyOf(NOT_LATER))) {
            BatchOutcome outcome =
                    GrpcAnswer.read(code.toStatus().withDescription("so it is").asRuntimeException());
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            BatchOutcome.RetryLater.class,
                            later -> assertThat(later.eventMayBeToBlame())
                                    .as(code.name())
                                    .isEqualTo(BREAKDOWNS.contains(code)));
        }
    }
}
