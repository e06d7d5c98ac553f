package dev.sluice.outbox.spring;

/** How an event becomes a payload. A bean of this type takes the place of the application's Jackson. */
@FunctionalInterface
public interface EventJson {
    byte[] write(Object event);
}
