package dev.sluice.devmongo.command;

import java.util.Map;

/** The names of the codes that a fail point is likely to be given. */
final class ErrorNames {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(6, "HostUnreachable"),
            Map.entry(7, "HostNotFound"),
            Map.entry(11, "UserNotFound"),
            Map.entry(13, "Unauthorized"),
            Map.entry(43, "CursorNotFound"),
            Map.entry(50, "MaxTimeMSExpired"),
            Map.entry(89, "NetworkTimeout"),
            Map.entry(91, "ShutdownInProgress"),
            Map.entry(112, "WriteConflict"),
            Map.entry(136, "CappedPositionLost"),
            Map.entry(189, "PrimarySteppedDown"),
            Map.entry(234, "RetryChangeStream"),
            Map.entry(237, "CursorKilled"),
            Map.entry(251, "NoSuchTransaction"),
            Map.entry(260, "InvalidResumeToken"),
            Map.entry(262, "ExceededTimeLimit"),
            Map.entry(280, "ChangeStreamFatalError"),
            Map.entry(286, "ChangeStreamHistoryLost"),
            Map.entry(9001, "SocketException"),
            Map.entry(10107, "NotWritablePrimary"),
            Map.entry(10334, "BSONObjectTooLarge"),
            Map.entry(11600, "InterruptedAtShutdown"),
            Map.entry(11601, "Interrupted"),
            Map.entry(11602, "InterruptedDueToReplStateChange"),
            Map.entry(13435, "NotPrimaryNoSecondaryOk"),
            Map.entry(13436, "NotPrimaryOrSecondary"));

    private ErrorNames() {}

    static String of(int code) {
        return NAMES.getOrDefault(code, "Location" + code);
    }
}
