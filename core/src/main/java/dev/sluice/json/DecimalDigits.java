package dev.sluice.json;

/** Writes numbers as {@link Long#toString} and the driver's relaxed extended JSON do, without a string per number. */
final class DecimalDigits {
    private static final int LONGEST = 20;

    /** From here up {@link Double#toString} writes an exponent. */
    private static final double FIRST_WITH_EXPONENT = 1e7;

    private DecimalDigits() {}

    static void append(long value, JsonBuffer out) {
        out.reserve(LONGEST);
        if (value < 0) {
            out.append('-');
        }
        long negative = value < 0 ? value : -value; // Long.MIN_VALUE has no positive counterpart.
        int length = length(negative);
        byte[] array = out.array();
        int at = out.size() + length;
        long rest = negative;
        do {
            array[--at] = (byte) ('0' - rest % 10);
            rest /= 10;
        } while (rest != 0);
        out.advance(length);
    }

    private static int length(long negative) {
        int length = 1;
        for (long rest = negative; rest <= -10; rest /= 10) {
            length++;
        }
        return length;
    }

    /** Appends exactly {@code width} digits, with leading zeros. */
    static void appendPadded(int value, int width, JsonBuffer out) {
        out.reserve(width);
        byte[] array = out.array();
        int rest = value;
        for (int at = out.size() + width - 1; at >= out.size(); at--) {
            array[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        out.advance(width);
    }

    /** Appends a finite number: the shortest digits that denote it, a positive exponent with its sign. */
    static void append(double value, JsonBuffer out) {
        double magnitude = Math.abs(value);
        long thousandths = (long) (magnitude * 1000 + 0.5);
        if (magnitude < FIRST_WITH_EXPONENT && thousandths / 1000.0 == magnitude) {
            appendThousandths(thousandths, isNegative(value), out);
        } else {
            appendAny(Double.toString(value), out);
        }
    }

    private static boolean isNegative(double value) {
        return Double.doubleToRawLongBits(value) < 0;
    }

    /**
     * Appends a number of at most ten digits, three of them behind the point. Two different decimals of up to 15 digits
     * never denote the same double, so these digits are the shortest, the ones {@link Double#toString} finds. It writes
     * an exponent for what is smaller than a thousandth, which never gets here.
     */
    private static void appendThousandths(long thousandths, boolean negative, JsonBuffer out) {
        if (negative) {
            out.append('-');
        }
        append(thousandths / 1000, out);
        out.append('.');
        appendFraction((int) (thousandths % 1000), out);
    }

    /** Appends thousandths without trailing zeros, but at least one digit. */
    static void appendFraction(int thousandths, JsonBuffer out) {
        appendPadded(thousandths, 3, out);
        int zeros = thousandths % 100 == 0 ? 2 : thousandths % 10 == 0 ? 1 : 0;
        out.truncate(out.size() - zeros);
    }

    private static void appendAny(String text, JsonBuffer out) {
        int exponent = text.indexOf('E') + 1;
        if (exponent > 0 && text.charAt(exponent) != '-') {
            out.ascii(text.substring(0, exponent)).append('+').ascii(text.substring(exponent));
        } else {
            out.ascii(text);
        }
    }
}
