package dev.sluice.server.cli;

import dev.sluice.server.config.SluiceConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What each role, run alone, refuses in a configuration: for tests of other packages. */
public final class RoleRefusals {
    private RoleRefusals() {}

    /** Keys that are refused, by role. */
    public static Map<String, List<String>> of(SluiceConfig config) {
        var refused = new TreeMap<String, List<String>>();
        for (var role : RoleName.values()) {
            refused.put(
                    role.name(),
                    RoleProblems.of(config, List.of(role)).stream()
                            .map(problem -> problem.key())
                            .toList());
        }
        return refused;
    }
}
