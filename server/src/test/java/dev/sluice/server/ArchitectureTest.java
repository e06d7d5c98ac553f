package dev.sluice.server;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The directions of the packages, over the whole product. AGENTS.md draws the same picture. */
class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sluice");

    private static final String[] EVERYWHERE = {
        "java..", "javax..", "jdk..", "org.bson..", "org.slf4j..", "org.jspecify..", "io.github.resilience4j.."
    };

    /** What each package of core may use of core, besides itself; core knows no driver. */
    private static final Map<String, Set<String>> CORE = Map.ofEntries(
            Map.entry("net", Set.of()),
            Map.entry("run", Set.of()),
            Map.entry("json", Set.of()),
            Map.entry("model", Set.of("json")),
            Map.entry("checkpoint", Set.of("model")),
            Map.entry("log", Set.of("model", "checkpoint", "run")),
            Map.entry("capture", Set.of("model", "checkpoint", "log", "run")),
            Map.entry("stream", Set.of("model", "log")),
            Map.entry("match", Set.of("model")),
            Map.entry("deliver", Set.of("json", "model")),
            Map.entry("subscribe", Set.of("model", "match", "deliver")),
            Map.entry("feed", Set.of("model")),
            Map.entry("lane", Set.of("model", "deliver", "subscribe", "run")),
            Map.entry("saved", Set.of("model", "deliver", "subscribe", "coordinate", "lane")),
            Map.entry(
                    "route",
                    Set.of("model", "match", "deliver", "subscribe", "coordinate", "feed", "lane", "saved", "run")),
            Map.entry("coordinate", Set.of("model")));

    /** What the other modules may use besides core and their libraries; {@code server} may use all but devmongo and bench. */
    private static final Map<String, Set<String>> MODULES = Map.ofEntries(
            Map.entry("mongodb", Set.of()),
            Map.entry("rocksdb", Set.of()),
            Map.entry("etcd", Set.of()),
            Map.entry("jdbc", Set.of()),
            Map.entry("nats", Set.of()),
            Map.entry("kafka", Set.of()),
            Map.entry("http", Set.of()),
            Map.entry("outbox", Set.of("jdbc", "kafka")),
            Map.entry("worker", Set.of("nats")),
            Map.entry("grpc", Set.of()),
            Map.entry("client", Set.of("grpc")),
            Map.entry("gateway", Set.of("grpc", "nats")),
            Map.entry("devmongo", Set.of()),
            Map.entry("testkit", Set.of()),
            Map.entry(
                    "bench",
                    Set.of("mongodb", "rocksdb", "grpc", "client", "devmongo", "outbox", "worker", "gateway")));

    @Test
    void everyPackageHasItsPlaceInTheMap() {
        Set<String> places =
                ALL.stream().map(type -> type.getPackageName().split("\\.")[2]).collect(Collectors.toSet());
        Set<String> known = new HashSet<>(CORE.keySet());
        known.addAll(MODULES.keySet());
        known.add("server");
        assertThat(places).isEqualTo(known);
    }

    @TestFactory
    Stream<DynamicTest> corePackagesFollowTheFlow() {
        return CORE.entrySet().stream()
                .map(allowed -> DynamicTest.dynamicTest(
                        allowed.getKey(),
                        () -> classes()
                                .that()
                                .resideInAPackage(root(allowed.getKey()))
                                .should()
                                .onlyDependOnClassesThat()
                                .resideInAnyPackage(mayUse(allowed.getKey(), allowed.getValue()))
                                .allowEmptyShould(true)
                                .check(ALL)));
    }

    @TestFactory
    Stream<DynamicTest> modulesUseCoreAndOfEachOtherOnlyWhatTheyMay() {
        return MODULES.entrySet().stream()
                .map(allowed -> DynamicTest.dynamicTest(
                        allowed.getKey(),
                        () -> noClasses()
                                .that()
                                .resideInAPackage(root(allowed.getKey()))
                                .should()
                                .dependOnClassesThat()
                                .resideInAnyPackage(mayNotUse(allowed.getKey(), allowed.getValue()))
                                .check(ALL)));
    }

    private static String[] mayNotUse(String self, Set<String> allowed) {
        return Stream.concat(MODULES.keySet().stream(), Stream.of("server"))
                .filter(other -> !other.equals(self) && !allowed.contains(other))
                .map(ArchitectureTest::root)
                .toArray(String[]::new);
    }

    private static String[] mayUse(String self, Set<String> others) {
        return Stream.of(
                        Stream.of(EVERYWHERE),
                        Stream.of(root(self)),
                        others.stream().map(ArchitectureTest::root))
                .flatMap(packages -> packages)
                .toArray(String[]::new);
    }

    private static String root(String name) {
        return "dev.sluice." + name + "..";
    }

    @Test
    void productionCodeDoesNotDependOnTheTestkit() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.sluice.testkit..")
                .check(ALL);
    }

    /** They are found at run time, so that a server is built without them. */
    @Test
    void theServerDoesNotDependOnDevelopmentDatabaseAndBenchmarks() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice.devmongo..", "dev.sluice.bench..")
                .check(ALL);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.sluice.(*)..").should().beFreeOfCycles().check(ALL);
    }

    /** Promise 5: a listening socket that did not pass dev.sluice.net.Listening would be open to the world one day. */
    @Test
    void onlyTheNetPackageOpensListeningSockets() {
        assertThat(callsOutsideOfNet(ALL, ArchitectureTest::opensAListeningSocket))
                .isEmpty();
    }

    /** Servers of libraries bind by themselves: whoever builds one takes the address from Listening.permit. */
    @Test
    void whoeverBuildsAServerAsksForItsAddress() {
        List<String> unasked = ALL.stream()
                .filter(type -> type.getCodeUnitCallsFromSelf().stream().anyMatch(ArchitectureTest::buildsAServer))
                .filter(type -> type.getCodeUnitCallsFromSelf().stream().noneMatch(ArchitectureTest::asksForTheAddress))
                .map(JavaClass::getName)
                .toList();
        assertThat(unasked).isEmpty();
    }

    /**
     * Classes that start threads by themselves, and why they may. A loop on such a thread can end by an Error while health
     * stays good; those marked "issue 18" are moved onto the runner there.
     */
    private static final Map<String, String> THREADS = Map.ofEntries(
            Map.entry(
                    "coordinate.VirtualThreads",
                    "the clockwork of coordination, which the simulation replaces; issue 18"),
            Map.entry("run.TurnsOnThreads", "replaced with the delivery model; issue 18"),
            Map.entry("deliver.Attempts", "one attempt at one gateway, then it ends"),
            Map.entry("etcd.EtcdWatch", "one attempt to open a watch, then it ends"),
            Map.entry("nats.NatsWatch", "one attempt to open a watch, then it ends"),
            Map.entry("nats.NatsDeliverer", "connects or closes once, then ends"),
            Map.entry("kafka.KafkaClients", "closes a producer once, then ends"),
            Map.entry("kafka.Topics", "one look-up, then it ends"),
            Map.entry("http.JdkExchange", "the HTTP client's own tasks"),
            Map.entry("jdbc.Database", "one statement each"),
            Map.entry("rocksdb.KeptTables", "a pool for single reads and writes"),
            Map.entry("rocksdb.RocksEventLog", "a pool for single reads"),
            Map.entry("grpc.Streams", "a pool for the turns of calls, each of which reports its own end"),
            Map.entry("grpc.StreamerGrpcServer", "a pool for calls"),
            Map.entry("grpc.CallLimit", "cancels a slow call once"),
            Map.entry("client.EventConsumer", "in the application's process; tells it by ended(); issue 18"),
            Map.entry("mongodb.DriverCalls", "one call of the driver each"),
            Map.entry("mongodb.StreamFeed", "issue 18"),
            Map.entry("gateway.GrpcEndpoint", "a pool for calls"),
            Map.entry("gateway.NatsEndpoint", "issue 18"),
            Map.entry("gateway.Registrations", "one resync, then it ends"),
            Map.entry("gateway.web.SocketConnection", "handles one message, then ends"),
            Map.entry("gateway.web.SocketWriter", "ends when nothing waits for its connection"),
            Map.entry("outbox.CommitNotifier", "issue 18"),
            Map.entry("outbox.kafka.SharedProducer", "closes a producer once, then ends"),
            Map.entry("outbox.nats.Publishing", "the outcome of one row, then it ends"),
            Map.entry("outbox.relay.PartitionRunner", "issue 18"),
            Map.entry("outbox.relay.Repeating", "issue 18"),
            Map.entry("server.cli.UntilStopped", "the shutdown hook"),
            Map.entry("server.demo.DevelopmentMongo", "runs a tool that serves until it is interrupted"),
            Map.entry("server.demo.Shop", "the demo's writer"),
            Map.entry("server.demo.Till", "the demo's writer"),
            Map.entry("server.worker.WorkerRole", "hands the partitions over once, then ends"));

    /** A loop that runs on the runner of dev.sluice.run survives any Throwable, or health says that it did not. */
    @Test
    void onlyTheRunnerStartsThreads() {
        Set<String> own = ALL.stream()
                .filter(type -> Stream.of("run", "testkit", "bench", "devmongo")
                        .noneMatch(place -> type.getPackageName().startsWith("dev.sluice." + place)))
                .filter(type -> type.getCodeUnitCallsFromSelf().stream().anyMatch(ArchitectureTest::startsAThread))
                .map(ArchitectureTest::outermost)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(own)
                .as("start a loop by dev.sluice.run.Loops, or say here why this thread is none")
                .isSubsetOf(THREADS.keySet());
    }

    @Test
    void theRuleForThreadsSeesWhatItForbids() {
        JavaClasses bad = new ClassFileImporter().importClasses(StartsThreads.class);
        assertThat(bad.get(StartsThreads.class).getCodeUnitCallsFromSelf().stream()
                        .filter(ArchitectureTest::startsAThread)
                        .toList())
                .hasSize(4);
    }

    private static final class StartsThreads {
        static Object all() {
            return List.of(
                    new Thread("a"),
                    Thread.ofVirtual(),
                    Thread.ofPlatform(),
                    java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor());
        }
    }

    private static boolean startsAThread(JavaCall<?> call) {
        String owner = call.getTargetOwner().getName();
        return switch (owner) {
            case "java.lang.Thread" ->
                Set.of("<init>", "ofVirtual", "ofPlatform", "startVirtualThread")
                        .contains(call.getName());
            case "java.util.concurrent.Executors" -> call.getName().startsWith("new");
            case "java.util.Timer",
                    "java.util.concurrent.ThreadPoolExecutor",
                    "java.util.concurrent.ScheduledThreadPoolExecutor",
                    "java.util.concurrent.ForkJoinPool" -> call.getName().equals("<init>");
            default -> false;
        };
    }

    private static String outermost(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "").substring("dev.sluice.".length());
    }

    /** The rules above can fail: they see what the classes below do. */
    @Test
    void theRulesForSocketsSeeWhatTheyForbid() {
        JavaClasses bad = new ClassFileImporter().importClasses(OpensASocket.class, BuildsAServer.class);
        assertThat(callsOutsideOfNet(bad, ArchitectureTest::opensAListeningSocket))
                .hasSize(2);
        assertThat(bad.get(BuildsAServer.class).getCodeUnitCallsFromSelf())
                .anyMatch(ArchitectureTest::buildsAServer)
                .noneMatch(ArchitectureTest::asksForTheAddress);
    }

    private static final class OpensASocket {
        static java.net.ServerSocket open() throws java.io.IOException {
            return new java.net.ServerSocket(0);
        }

        static com.sun.net.httpserver.HttpServer create() throws java.io.IOException {
            return com.sun.net.httpserver.HttpServer.create(new java.net.InetSocketAddress(0), 1);
        }
    }

    private static final class BuildsAServer {
        static Object build() {
            return io.helidon.webserver.WebServer.builder().build();
        }
    }

    private static List<String> callsOutsideOfNet(JavaClasses classes, Predicate<JavaCodeUnitAccess<?>> which) {
        return classes.stream()
                .filter(type -> !type.getPackageName().equals("dev.sluice.net"))
                .filter(type -> !type.getPackageName().startsWith("dev.sluice.testkit"))
                .flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
                .filter(which)
                .map(JavaCodeUnitAccess::getDescription)
                .toList();
    }

    private static boolean opensAListeningSocket(JavaCodeUnitAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        boolean opens = Set.of("bind", "<init>", "create", "createServerSocket").contains(call.getName());
        return opens
                && Stream.of(
                                "java.net.ServerSocket",
                                "java.nio.channels.ServerSocketChannel",
                                "java.nio.channels.AsynchronousServerSocketChannel",
                                "javax.net.ServerSocketFactory",
                                "com.sun.net.httpserver.HttpServer")
                        .anyMatch(owner::isAssignableTo);
    }

    private static boolean buildsAServer(JavaCall<?> call) {
        JavaClass owner = call.getTargetOwner();
        boolean grpc =
                owner.isAssignableTo("io.grpc.ServerBuilder") && call.getName().startsWith("for");
        boolean helidon = owner.getName().equals("io.helidon.webserver.WebServer")
                && call.getName().equals("builder");
        return grpc || helidon;
    }

    private static boolean asksForTheAddress(JavaCall<?> call) {
        return call.getTargetOwner().getName().equals("dev.sluice.net.Listening")
                && call.getName().equals("permit");
    }

    @Test
    void namesSayWhatAClassIs() {
        noClasses()
                .that(describe("are ours", type -> type.getPackageName().startsWith("dev.sluice")))
                .should()
                .haveNameMatching(".*(Impl|Utils?|Manager|Helper|Processor)$")
                .check(ALL);
    }

    @Test
    void everyPackageSaysWhatItIsAndIsNullMarked() {
        List<String> silent = ALL.stream()
                .map(JavaClass::getPackage)
                .distinct()
                .filter(folder -> !folder.isAnnotatedWith("org.jspecify.annotations.NullMarked"))
                .map(folder -> folder.getName())
                .toList();
        assertThat(silent).isEmpty();
    }
}
