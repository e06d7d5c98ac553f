package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.stream.StreamState.Retention;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FilterSetTest {
    private static final List<String> SUBJECTS = List.of("dc.t1.c1", "dc.t1.c2", "dc.t2.c1", "dc.t2", "x");

    @Test
    void aWildcardStandsForSubjectsThatAreAllOwned() {
        assertThat(FilterSet.compress(List.of("dc.t1.c1", "dc.t1.c2"), SUBJECTS))
                .containsExactly("dc.t1.>");
        assertThat(FilterSet.compress(SUBJECTS, SUBJECTS)).containsExactly("dc.>", "x");
        assertThat(FilterSet.compress(List.of("dc.t1.c1", "dc.t1.c2", "dc.t2.c1"), SUBJECTS))
                .containsExactly("dc.t1.>", "dc.t2.c1");
        assertThat(FilterSet.compress(List.of("dc.t1.c1", "dc.t2.c1"), SUBJECTS))
                .containsExactly("dc.t1.c1", "dc.t2.c1");
    }

    @Test
    void hashSlotsStayAsTheyAre() {
        List<String> slots = List.of("o.2.0.>", "o.2.1.>");
        assertThat(FilterSet.compress(slots, slots)).containsExactlyElementsOf(slots);
    }

    @Test
    void onlyStreamsWithoutOtherSubjectsAreCompressed() {
        FixedStream stream = new FixedStream();
        List<String> owned = List.of("a.2", "a.1", "a.2");
        assertThat(FilterSet.of(owned, stream.state())).containsExactly("a.1", "a.2");
        stream.subjects = List.of("a.1", "a.2");
        assertThat(FilterSet.of(owned, stream.state())).containsExactly("a.>");
        stream.subjects = List.of("a.1", "a.2", "a.3");
        assertThat(FilterSet.of(owned, stream.state())).containsExactly("a.1", "a.2");
        stream.subjects = List.of("a.*");
        assertThat(FilterSet.of(owned, stream.state())).containsExactly("a.1", "a.2");
        stream.subjects = List.of("a.1", "a.2");
        stream.retention = Retention.WORK_QUEUE;
        assertThat(FilterSet.of(owned, stream.state())).containsExactly("a.1", "a.2");
    }
}
