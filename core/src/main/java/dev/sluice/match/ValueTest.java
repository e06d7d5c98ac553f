package dev.sluice.match;

/** A question about one raw value; {@link RawValues#MISSING} stands for a field that is not there. */
@FunctionalInterface
interface ValueTest {
    boolean accepts(byte[] bytes, int type, int at);
}
