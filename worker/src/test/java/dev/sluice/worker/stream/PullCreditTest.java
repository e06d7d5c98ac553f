package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.PullCredit.Request;
import org.junit.jupiter.api.Test;

class PullCreditTest {
    private final PullCredit credit = new PullCredit();

    @Test
    void asksAgainWhenLessThanHalfIsOutstanding() {
        credit.want(10, 0);
        assertThat(credit.next()).isEqualTo(new Request(1, 10, 0));
        assertThat(credit.next()).isNull();
        delivered(5);
        credit.want(10, 0);
        assertThat(credit.next()).as("half is outstanding").isNull();
        delivered(1);
        assertThat(credit.outstanding()).isEqualTo(4);
        credit.want(10, 0);
        assertThat(credit.next()).isEqualTo(new Request(2, 6, 0));
    }

    @Test
    void asksForNothingBeyondWhatIsWanted() {
        credit.want(10, 0);
        credit.next();
        delivered(10);
        assertThat(credit.next()).isNull();
        assertThat(credit.outstanding()).isZero();
    }

    @Test
    void aRequestThatEndsIsRepeatedForWhatWasNotDelivered() {
        credit.want(10, 0);
        credit.next();
        delivered(4);
        credit.ended(1, 6, false);
        assertThat(credit.next()).isEqualTo(new Request(2, 6, 0));
    }

    @Test
    void aRefusalWithoutACountGivesTheWholeRequestBack() {
        credit.want(10, 0);
        credit.next();
        credit.ended(1, -1, true);
        assertThat(credit.outstanding()).isZero();
        assertThat(credit.next()).as("waits for its time").isNull();
        credit.resume();
        assertThat(credit.next()).isEqualTo(new Request(2, 10, 0));
    }

    @Test
    void aMessageAboveTheBytesIsAskedForAlone() {
        credit.want(10, 100);
        assertThat(credit.next()).isEqualTo(new Request(1, 10, 100));
        credit.exceededBytes(1, 10);
        assertThat(credit.next()).isEqualTo(new Request(2, 1, 0));
        delivered(1);
        assertThat(credit.next()).isEqualTo(new Request(3, 9, 100));
    }

    @Test
    void aRequestWhoseBytesAreUsedUpIsRepeatedAsItWas() {
        credit.want(10, 100);
        credit.next();
        delivered(3);
        credit.exceededBytes(1, 7);
        assertThat(credit.next()).isEqualTo(new Request(2, 7, 100));
    }

    @Test
    void nothingIsAskedForWhenNothingIsWanted() {
        credit.want(10, 0);
        credit.next();
        credit.want(0, 0);
        credit.ended(1, 10, false);
        assertThat(credit.next()).isNull();
    }

    private void delivered(int count) {
        for (int each = 0; each < count; each++) {
            credit.delivered();
        }
    }
}
