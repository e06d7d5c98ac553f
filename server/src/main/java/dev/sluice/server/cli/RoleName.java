package dev.sluice.server.cli;

import dev.sluice.server.node.Role;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/** The roles as {@code --role} names them. */
enum RoleName {
    puller,
    streamer,
    gateway,
    outbox,
    worker;

    static Set<Role> roles(Collection<RoleName> names) {
        var roles = EnumSet.noneOf(Role.class);
        names.forEach(name -> roles.add(name.role()));
        return roles;
    }

    private Role role() {
        return switch (this) {
            case puller -> Role.PULLER;
            case streamer -> Role.STREAMER;
            case gateway -> Role.GATEWAY;
            case outbox -> Role.OUTBOX;
            case worker -> Role.WORKER;
        };
    }
}
