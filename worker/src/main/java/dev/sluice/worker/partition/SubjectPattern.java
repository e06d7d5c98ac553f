package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One partition per subject of the stream that matches a pattern. The leader of the group looks them up, see {@link
 * Discovery}.
 *
 * @param pattern with at least one variable token, such as {@code dc.{tool}.{chamber}.completion}
 */
public record SubjectPattern(String pattern) implements Partitions {
    private static final Pattern VARIABLE = Pattern.compile("\\{[A-Za-z0-9_-]+}");

    public SubjectPattern {
        check(pattern);
    }

    static SubjectPattern of(String pattern) {
        return new SubjectPattern(pattern);
    }

    private static void check(String pattern) {
        Set<String> names = new HashSet<>();
        String shown = "partition pattern " + InvalidInputException.quote(pattern);
        for (String token : SubjectRules.tokens("partition pattern", pattern)) {
            if (isVariable(token)) {
                if (!names.add(token)) {
                    throw new InvalidInputException(shown + " names " + token + " twice");
                }
            } else if (token.equals("*") || token.equals(">")) {
                throw new InvalidInputException(shown + " has the wildcard " + token + ": write a named token, {name}");
            } else if (token.indexOf('{') >= 0 || token.indexOf('}') >= 0) {
                throw new InvalidInputException(shown + " has the token " + InvalidInputException.quote(token)
                        + ": braces enclose a whole token, and the name in them is letters, digits, '_' and '-'");
            }
        }
        if (names.isEmpty()) {
            throw new InvalidInputException(shown + " has no variable token, {name}: use a list for fixed subjects");
        }
    }

    private static boolean isVariable(String token) {
        return VARIABLE.matcher(token).matches();
    }

    /** The filter that matches the subjects of all partitions: {@code dc.*.*.completion}. */
    public String filter() {
        return Arrays.stream(tokens())
                .map(token -> isVariable(token) ? "*" : token)
                .collect(Collectors.joining("."));
    }

    private String[] tokens() {
        return pattern.split("\\.", -1);
    }

    /** None: the partitions are the subjects the stream has. */
    @Override
    public List<PartitionSpec> known() {
        return List.of();
    }

    @Override
    public Optional<String> idOf(String subject) {
        String[] ours = tokens();
        String[] theirs = subject.split("\\.", -1);
        if (ours.length != theirs.length) {
            return Optional.empty();
        }
        List<String> variable = new ArrayList<>();
        for (int i = 0; i < ours.length; i++) {
            if (isVariable(ours[i])) {
                variable.add(theirs[i]);
            } else if (!ours[i].equals(theirs[i])) {
                return Optional.empty();
            }
        }
        return Optional.of(String.join(".", variable));
    }

    @Override
    public String describe() {
        return "the pattern " + pattern;
    }
}
