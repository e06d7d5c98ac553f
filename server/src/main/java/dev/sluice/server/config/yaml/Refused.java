package dev.sluice.server.config.yaml;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A key that people may know from elsewhere and that would have no effect here: it is refused with the reason. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Refused.Keys.class)
public @interface Refused {

    /** Below the record, as it is documented: {@code batch_interval}. */
    String key();

    /** One sentence: why, and what to do. */
    String reason();

    /** Several of one record. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Keys {
        Refused[] value();
    }
}
