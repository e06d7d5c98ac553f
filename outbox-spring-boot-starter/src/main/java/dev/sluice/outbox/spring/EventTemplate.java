package dev.sluice.outbox.spring;

import dev.sluice.model.InvalidInputException;
import org.springframework.core.env.PropertyResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** What an {@link OutboxEvent} says, read once per class. */
record EventTemplate(String name, String topic, Expression key, String type, int priority) {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final EvaluationContext READING = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    static EventTemplate of(Class<?> event, OutboxEvent annotation, PropertyResolver placeholders) {
        return new EventTemplate(
                event.getSimpleName(),
                placeholders.resolveRequiredPlaceholders(annotation.topic()),
                parse(event, annotation.key()),
                annotation.type().isEmpty() ? event.getSimpleName() : annotation.type(),
                annotation.priority());
    }

    private static Expression parse(Class<?> event, String key) {
        try {
            return PARSER.parseExpression(key);
        } catch (ParseException | IllegalArgumentException wrong) {
            throw new InvalidInputException("the key of @OutboxEvent on " + event.getName()
                    + " is neither a property nor a SpEL expression: " + wrong.getMessage());
        }
    }

    String keyOf(Object event) {
        try {
            Object value = key.getValue(READING, event);
            if (value == null) {
                throw new InvalidInputException("the key of this " + name + ", " + key.getExpressionString()
                        + ", is null: messages without a key have no order; give it one");
            }
            return value.toString();
        } catch (EvaluationException wrong) {
            throw new InvalidInputException("the key of @OutboxEvent on " + name + ", " + key.getExpressionString()
                    + ", cannot be read from it: " + wrong.getMessage());
        }
    }
}
