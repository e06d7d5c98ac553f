package dev.sluice.bench;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How many files and sockets a process may have open ({@code ulimit -n}). The servers under test inherit the limit of this
 * process. In a reconnect storm a server has two sockets per client for a moment: it notices by its next ping that the old one
 * was cut.
 *
 * @param most -1: not known on this system
 */
record FileLimit(long most) {
    /** Files that a server has open besides the sockets of its clients, rounded up. */
    private static final int OTHERS = 1_000;

    static FileLimit ofThisProcess() {
        return new FileLimit(
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                        ? unix.getMaxFileDescriptorCount()
                        : -1);
    }

    /**
     * Returns how many of the clients must be gone from the server before all come again at once; 0 where the limit is high
     * enough.
     *
     * @throws IllegalStateException saying what to do, when these were more than a tenth
     */
    int cutAhead(int clients) {
        long needed = 2L * clients + OTHERS;
        long missing = most < 0 ? 0 : Math.max(0, needed - most);
        if (missing > clients / 10) {
            throw new IllegalStateException(("%,d clients need %,d open files per process, and `ulimit -n` is %,d."
                            + " Raise it in this shell first: ulimit -n %d (its hard limit: /etc/security/limits.conf,"
                            + " LimitNOFILE of systemd, --ulimit of a container). Or measure fewer clients: --quick.")
                    .formatted(clients, needed, most, needed));
        }
        return (int) missing;
    }
}
