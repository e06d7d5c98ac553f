package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time and memory of another process of this machine. */
record ProcessFigures(long pid) {
    /** User and system time so far, in steps of 10 ms. */
    long cpuNanos() {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IllegalStateException("process " + pid + " has ended"))
                .toNanos();
    }

    /** Resident memory in bytes; 0 where the system does not tell. */
    long residentBytes() throws IOException {
        Path status = Path.of("/proc/" + pid + "/status");
        if (Files.notExists(status)) {
            return 0;
        }
        try (var lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        }
    }
}
