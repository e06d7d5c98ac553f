package dev.sluice.worker.chaos;

/** The programs that the suite can be run on. */
enum WorkerProgram {
    SLUICE("dev.sluice.worker.chaos.ChaosWorker"),
    /** The handoff of draft 002, which loses messages. */
    DRAFT(DraftWorker.class.getName());

    final String mainClass;

    WorkerProgram(String mainClass) {
        this.mainClass = mainClass;
    }
}
