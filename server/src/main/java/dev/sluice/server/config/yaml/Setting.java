package dev.sluice.server.config.yaml;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What one key of the configuration means, and what it is when nobody sets it. The binder reads the fallback, the
 * documentation is generated from the meaning, so neither can drift from the record.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Setting {

    /** Marks a key that has no fallback. A scalar without one must be set; a list is then empty. */
    String NONE = "\0";

    /** One sentence for the operator. */
    String meaning();

    /** The value when the key is absent, written as it would be in the file; lists with commas. */
    String fallback() default NONE;

    /** What the documentation shows as the default where the fallback alone does not say it. */
    String shown() default "";

    /** An environment variable that, when set, wins over the file. */
    String env() default "";

    /** A duration that may also be written as bare milliseconds or in ISO-8601 ({@code PT30S}). */
    boolean alsoMillis() default false;

    /** A Spring expression ({@code #{...}}) in place of the value counts as no value, with a warning. */
    boolean ignoresExpressions() default false;
}
