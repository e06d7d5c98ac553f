package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.PullCredit.Request;
import org.junit.jupiter.api.Test;

class PullCreditTest {
    private final PullCredit credit = new PullCredit();
    private long now;

    @Test
    void asksAgainWhenLessThanHalfIsOutstanding() {
        credit.want(10, 0);
        assertThat(credit.next(++now)).isEqualTo(new Request(1, 10, 0));
        assertThat(credit.next(++now)).isNull();
        delivered(5);
        credit.want(10, 0);
        assertThat(credit.next(++now)).as("half is outstanding").isNull();
        delivered(1);
        assertThat(credit.outstanding()).isEqualTo(4);
        credit.want(10, 0);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 6, 0));
    }

    @Test
    void asksForNothingBeyondWhatIsWanted() {
        credit.want(10, 0);
        credit.next(++now);
        delivered(10);
        assertThat(credit.next(++now)).isNull();
        assertThat(credit.outstanding()).isZero();
    }

    @Test
    void aRequestThatEndsIsRepeatedForWhatWasNotDelivered() {
        credit.want(10, 0);
        credit.next(++now);
        delivered(4);
        credit.ended(1, 6, false);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 6, 0));
    }

    @Test
    void aRefusalWithoutACountGivesTheWholeRequestBack() {
        credit.want(10, 0);
        credit.next(++now);
        credit.ended(1, -1, true);
        assertThat(credit.outstanding()).isZero();
        assertThat(credit.next(++now)).as("waits for its time").isNull();
        credit.resume();
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 10, 0));
    }

    @Test
    void aMessageAboveTheBytesIsAskedForAlone() {
        credit.want(10, 100);
        assertThat(credit.next(++now)).isEqualTo(new Request(1, 10, 100));
        credit.exceededBytes(1, 10);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 1, 0));
        delivered(1);
        assertThat(credit.next(++now)).isEqualTo(new Request(3, 9, 100));
    }

    @Test
    void aRequestWhoseBytesAreUsedUpIsRepeatedAsItWas() {
        credit.want(10, 100);
        credit.next(++now);
        delivered(3);
        credit.exceededBytes(1, 7);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 7, 100));
    }

    @Test
    void aRequestThatEndsCorrectsWhatWasBookedOnAnother() {
        credit.want(10, 0);
        credit.next(++now);
        delivered(6);
        credit.want(20, 0);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 16, 0));
        delivered(4);
        assertThat(credit.outstanding()).isEqualTo(16);
        credit.ended(2, 14, false);
        assertThat(credit.outstanding())
                .as("two of the four were answers to the second request, but the first one is booked as fulfilled")
                .isZero();
    }

    @Test
    void aRequestThatEndsWithMoreDeliveredGivesBackToAnOlderOne() {
        credit.want(10, 0);
        credit.next(++now);
        delivered(6);
        credit.want(20, 0);
        credit.next(++now);
        delivered(2);
        assertThat(credit.outstanding()).isEqualTo(18);
        credit.ended(2, 14, false);
        assertThat(credit.outstanding())
                .as("the first one still waits for four")
                .isEqualTo(4);
    }

    @Test
    void aRequestThatIsNeverAnsweredIsForgotten() {
        credit.want(10, 0);
        credit.next(++now);
        credit.forgetBefore(now);
        assertThat(credit.outstanding()).isEqualTo(10);
        credit.forgetBefore(now + 1);
        assertThat(credit.outstanding()).isZero();
        credit.ended(1, 10, false);
        assertThat(credit.next(++now)).isEqualTo(new Request(2, 10, 0));
        assertThat(credit.outstanding()).isEqualTo(10);
    }

    @Test
    void nothingIsAskedForWhenNothingIsWanted() {
        credit.want(10, 0);
        credit.next(++now);
        credit.want(0, 0);
        credit.ended(1, 10, false);
        assertThat(credit.next(++now)).isNull();
    }

    private void delivered(int count) {
        for (int each = 0; each < count; each++) {
            credit.delivered();
        }
    }
}
