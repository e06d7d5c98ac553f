package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One partition per named subject; its id is the subject. */
public final class SubjectList implements Partitions {
    private final Set<String> subjects;
    private final int duplicates;

    private SubjectList(Set<String> subjects, int duplicates) {
        this.subjects = subjects;
        this.duplicates = duplicates;
    }

    static SubjectList of(Collection<String> subjects) {
        if (subjects.isEmpty()) {
            throw new InvalidInputException("the list of partitions is empty: name at least one subject");
        }
        Set<String> distinct = new LinkedHashSet<>();
        for (String subject : subjects) {
            distinct.add(SubjectRules.checkLiteral("partition subject", subject));
        }
        return new SubjectList(distinct, subjects.size() - distinct.size());
    }

    @Override
    public List<PartitionSpec> known() {
        return subjects.stream()
                .map(subject -> new PartitionSpec(subject, subject))
                .toList();
    }

    @Override
    public Optional<String> idOf(String filter) {
        return subjects.contains(filter) ? Optional.of(filter) : Optional.empty();
    }

    @Override
    public int duplicates() {
        return duplicates;
    }

    @Override
    public String describe() {
        return "a list of " + subjects.size() + " subjects";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SubjectList that && that.subjects.equals(subjects);
    }

    @Override
    public int hashCode() {
        return subjects.hashCode();
    }

    @Override
    public String toString() {
        return "list" + subjects;
    }
}
