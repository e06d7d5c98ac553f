package dev.sluice.devmongo;

/** The MongoDB version that is spoken; newer ones add fields and options. */
public record ServerVersion(int major, int minor, int patch) {
    /** The version the recordings were made with. */
    public static final ServerVersion RECORDED = new ServerVersion(4, 4, 29);

    public static final ServerVersion DEFAULT = new ServerVersion(7, 0, 0);

    /** Reads {@code 4.4}, {@code 7.0} or {@code 7.0.5}. */
    public static ServerVersion parse(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length < 2) {
            throw new IllegalArgumentException(
                    "Write a server version as major.minor, such as 7.0, not '" + text + "'.");
        }
        ServerVersion version = new ServerVersion(
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
        return version.major == RECORDED.major && version.minor == RECORDED.minor ? RECORDED : version;
    }

    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || major == wantedMajor && minor >= wantedMinor;
    }

    public int maxWireVersion() {
        if (atLeast(7, 0)) {
            return 21;
        }
        if (atLeast(6, 0)) {
            return 17;
        }
        return atLeast(5, 0) ? 13 : 9;
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
