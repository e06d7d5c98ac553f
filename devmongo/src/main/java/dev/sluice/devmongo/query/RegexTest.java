package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Finds a pattern in strings, and the same pattern stored as a value. */
public record RegexTest(BsonRegularExpression source, Pattern pattern) implements ValueTest {
    public static RegexTest of(BsonRegularExpression source) {
        return new RegexTest(source, pattern(source.getPattern(), source.getOptions()));
    }

    @Override
    public boolean test(@Nullable BsonValue value) {
        if (value instanceof BsonString || value instanceof BsonSymbol) {
            return pattern.matcher(BsonOrder.text(value)).find();
        }
        return source.equals(value);
    }

    /** Java's engine in the role of PCRE: the same for what filters usually hold. */
    public static Pattern pattern(String regex, String options) {
        int flags = Pattern.UNIX_LINES;
        for (char option : options.toCharArray()) {
            flags |= switch (option) {
                case 'i' -> Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
                case 'm' -> Pattern.MULTILINE;
                case 's' -> Pattern.DOTALL;
                case 'x' -> Pattern.COMMENTS;
                case 'u' -> 0;
                default -> throw CommandException.location(51108, "invalid flag in regex options: " + option);
            };
        }
        try {
            return Pattern.compile(regex, flags);
        } catch (PatternSyntaxException e) {
            throw CommandException.location(51091, "Regular expression is invalid: " + e.getDescription());
        }
    }
}
