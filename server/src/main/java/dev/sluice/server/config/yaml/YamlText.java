package dev.sluice.server.config.yaml;

import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * YAML text into a node tree, bounded: depth and aliases are counted on the flat event stream before anything
 * recursive sees the text, so that no input can exhaust the stack or multiply itself.
 */
final class YamlText {

    private static final int MAX_DEPTH = 32;
    private static final int MAX_ALIASES = 100;
    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setLabel("configuration").setUseMarks(true).build();

    private YamlText() {}

    /** Empty when the text is empty; a syntax error is reported once, and yields nothing either. */
    static Optional<Node> parse(String text, Problems problems) {
        try {
            return withinBounds(text, problems) ? new Compose(SETTINGS).composeString(text) : Optional.empty();
        } catch (MarkedYamlEngineException e) {
            var line = e.getProblemMark()
                    .or(e::getContextMark)
                    .map(mark -> mark.getLine() + 1)
                    .orElse(0);
            problems.addAt(line, "", "is not valid YAML: " + withoutTheText(e.getProblem()) + hint(text, line));
        } catch (YamlEngineException e) {
            problems.addAt(0, "", "is not valid YAML; save it as UTF-8 text without control characters");
        }
        return Optional.empty();
    }

    /** The whole message would quote the file, and its problem still names aliases and tags: a password may start with * or !. */
    private static String withoutTheText(String problem) {
        return Quote.onOneLine(problem)
                .replaceFirst("(undefined alias|undefined tag handle).*", "$1; put quotes around the value");
    }

    /** The one mistake that the syntax rules of YAML hide from its own message. */
    private static String hint(String text, int line) {
        var variable = text.lines().skip(Math.max(0, line - 1)).findFirst().filter(it -> it.contains("${"));
        return variable.isPresent() ? "; inside { } and [ ] a ${NAME} needs quotes around it" : "";
    }

    private static boolean withinBounds(String text, Problems problems) {
        var depth = 0;
        var aliases = 0;
        for (var event : new Parse(SETTINGS).parseString(text)) {
            depth += nesting(event);
            aliases += event.getEventId() == Event.ID.Alias ? 1 : 0;
            if (depth > MAX_DEPTH || aliases > MAX_ALIASES) {
                var line = event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
                problems.addAt(
                        line,
                        "",
                        depth > MAX_DEPTH
                                ? "is nested more than " + MAX_DEPTH + " levels deep; no setting is"
                                : "uses more than " + MAX_ALIASES + " aliases; write the values out");
                return false;
            }
        }
        return true;
    }

    private static int nesting(Event event) {
        return switch (event.getEventId()) {
            case MappingStart, SequenceStart -> 1;
            case MappingEnd, SequenceEnd -> -1;
            case Alias, Comment, DocumentEnd, DocumentStart, Scalar, StreamEnd, StreamStart -> 0;
        };
    }
}
