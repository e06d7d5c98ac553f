package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Filters after compression match the owned subjects and no other subject of the stream. */
final class FilterSetPropertiesTest {
    private static final Arbitrary<String> TOKEN = Arbitraries.of("a", "b", "c");

    @Provide
    Arbitrary<Set<String>> subjects() {
        return TOKEN.list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(tokens -> String.join(".", tokens))
                .set()
                .ofMinSize(1)
                .ofMaxSize(25);
    }

    @Property
    void compressionNeverChangesTheMatchedSubjects(@ForAll("subjects") Set<String> possible, @ForAll Random choice) {
        Set<String> owned = someOf(possible, choice);
        List<String> filters = FilterSet.compress(owned, possible);
        for (String subject : possible) {
            long matching = filters.stream()
                    .filter(filter -> SubjectFilter.matches(filter, subject))
                    .count();
            assertThat(matching)
                    .as("filters of %s among %s", subject, filters)
                    .isEqualTo(owned.contains(subject) ? 1 : 0);
        }
        assertThat(filters.size()).isLessThanOrEqualTo(owned.size());
    }

    @Property
    void noTwoFiltersOverlap(@ForAll("subjects") Set<String> possible, @ForAll Random choice) {
        List<String> filters = FilterSet.compress(someOf(possible, choice), possible);
        for (String wide : filters) {
            for (String other : filters) {
                String below = other.endsWith(">") ? other.substring(0, other.length() - 1) + "any" : other;
                assertThat(!wide.equals(other) && SubjectFilter.matches(wide, below))
                        .as("%s overlaps %s", wide, other)
                        .isFalse();
            }
        }
    }

    private static Set<String> someOf(Set<String> possible, Random choice) {
        int share = 1 + choice.nextInt(4);
        Set<String> owned = new HashSet<>();
        for (String subject : possible) {
            if (choice.nextInt(share) == 0) {
                owned.add(subject);
            }
        }
        return owned;
    }
}
