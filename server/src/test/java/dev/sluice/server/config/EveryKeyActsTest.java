package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import dev.sluice.server.cli.RoleRefusals;
import dev.sluice.server.cluster.ClusterWiring;
import dev.sluice.server.config.yaml.KeyReference;
import dev.sluice.server.gateway.GatewayWiring;
import dev.sluice.server.logging.ServerLogging;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.server.outbox.RelayWiring;
import dev.sluice.server.puller.PullerWiring;
import dev.sluice.server.streamer.StreamerWiring;
import dev.sluice.server.worker.WorkerWiring;
import dev.sluice.testkit.servers.FreePorts;
import dev.sluice.testkit.servers.SelfSigned;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Changes every key and looks for the difference (issue 12, row 28). A row says where it shows:
 *
 * <ul>
 *   <li>{@code node}, {@code logging}: in how a running node, or the log, behaves; nothing more is needed.
 *   <li>{@code puller, streamer, cluster, relay, worker, gateway}: in what the role's own wiring hands to its components. The test that
 *       is named proves that the component follows it.
 *   <li>{@code role}: in the server's test that is named, which sets this very key to another value than its default and
 *       runs the role with it ({@link ProofSource}).
 *   <li>{@code refusals}: in what the whole file is refused for.
 *   <li>{@code refused}: nowhere, because every role refuses to run with it: no role uses another store than {@code memory}
 *       so far.
 * </ul>
 *
 * <p>A new key without a row fails, and so does a row whose key has stopped to arrive or whose test is gone.
 */
class EveryKeyActsTest {

    /** Key | another value | further settings, with + those that change along | where it shows | the test that proves it. */
    private static final String TABLE = """
            storage.backends[].name | b | +puller.backends[].name=b | puller | server PullerRoleTest#theAdminApiListsBackendsConsumersAndCheckpoints
            storage.backends[].type | outbox | +storage.backends[].connection=jdbc:h2:mem:o | puller | server OutboxPullerTest#messagesReachConsumersInOrderAndNoneIsCoalescedAway
            storage.backends[].connection | mongodb://127.0.0.1:27018 | | puller | mongodb MongoCaptureTest#everyKindOfChangeArrivesAsItHappened
            storage.backends[].database | e | | puller | mongodb MongoCaptureTest#thePositionMovesOnWhileOnlyOthersWrite
            puller.grpc.address | 127.0.0.1:50061 | | role | server PullerProcessTest#portsInUseAreAllSaidAtOnceAndNothingStarts
            puller.grpc.max_connections | 7 | | puller | grpc PullerGrpcServerTest#tooManyConsumersAreRefusedWithASentence
            puller.backends[].name | b | +storage.backends[].name=b | puller | server PullerRoleTest#theAdminApiListsBackendsConsumersAndCheckpoints
            puller.backends[].include_collections | [x] | | puller | mongodb MongoCaptureTest#droppingTheDatabaseBehindAnIncludeFilterIsSeenAndSurvived
            puller.backends[].exclude_collections | [x] | | puller | mongodb MongoCaptureTest#controlEventsOfCollectionsNobodyWatchesAreLeftOut
            puller.backends[].on_gap | stop | | puller | core CaptureLoopTest#aGapStopsWhereThatIsThePolicy
            puller.backends[].start | earliest | | puller | core CaptureLoopTest#aFirstStartFromTheEarliestTakesAllThatTheSourceHas
            puller.backends[].images | required | | puller | mongodb MongoCaptureTest#requiredImagesThatACollectionDoesNotKeepAreAConfigurationError
            puller.backends[].streams | 2 | puller.backends[].include_collections=[x, y] | puller | mongodb SeveralStreamsTest#theNumberOfStreamsMayChangeBetweenRuns
            puller.backends[].tenant.field | owner | | puller | mongodb MongoCaptureTest#theTenantComesFromTheDocumentAndIsRememberedForItsDelete
            puller.backends[].tenant.id_prefix | / | | puller | mongodb MongoCaptureTest#theTenantMayStandInTheIdOrBeTheDatabaseOrOneForAll
            puller.backends[].tenant.database | true | | puller | mongodb MongoCaptureTest#theTenantMayStandInTheIdOrBeTheDatabaseOrOneForAll
            puller.backends[].tenant.constant | acme | | puller | mongodb MongoCaptureTest#theTenantMayStandInTheIdOrBeTheDatabaseOrOneForAll
            puller.checkpoint.backend | etcd | | puller | server PullerFaultsTest#captureGoesOnWhileEtcdIsAwayAndALostDiskIsRefilledFromTheMirror
            puller.checkpoint.endpoints | [http://127.0.0.1:2380] | puller.checkpoint.backend=etcd | cluster | server PullerFaultsTest#captureGoesOnWhileEtcdIsAwayAndALostDiskIsRefilledFromTheMirror
            puller.checkpoint.interval | 7s | | puller | core CheckpointMirrorTest#itSavesAtMostOncePerIntervalUnlessManyEventsCame
            puller.checkpoint.event_count | 7 | | puller | core CheckpointMirrorTest#itSavesAtMostOncePerIntervalUnlessManyEventsCame
            puller.buffer.path | other/events | | puller | server PullerRoleTest#aSecondPullerOnTheSameDirectoryIsToldSoAndLeavesTheFirstAlone
            puller.buffer.max_size | 7MiB | | puller | core RetentionTest#whatIsTooMuchGoesOldestFirstAndIsCounted
            puller.buffer.min_free | 7MiB | | puller | core GroupCommitTest#atTheFreeSpaceFloorNothingIsAppendedUntilThereIsRoom
            puller.buffer.batch_size | 7 | | puller | core GroupCommitTest#aBigHandInIsCutAndItsCheckpointGoesWithItsLastPart
            puller.buffer.batch_interval | 7ms | | puller | mongodb MongoCaptureTest#aSourceWithoutBacklogIsReadOncePerInterval
            puller.buffer.queue_size | 700 | | puller | core GroupCommitTest#whoeverFillsTheQueueWaits
            puller.consumer.catch_up_threshold | 7 | | puller | grpc PullerGrpcServerTest#coalescedEventsAreOnePerDocumentAndAnUpdateBecomesAReplace
            puller.consumer.coalesce_on_catch_up | false | | puller | grpc PullerGrpcServerTest#coalescedEventsAreOnePerDocumentAndAnUpdateBecomesAReplace
            puller.consumer.slow_threshold | 7ms | | puller | core SendPaceTest#aSlowOneGetsSmallerBatchesAndRecovers
            puller.consumer.critical_threshold | 7s | | puller | grpc SlowConsumerTest#aStalledConsumerIsPausedLoudlyKeepsNothingAndGoesOnLater
            puller.cleaner.interval | 7s | | puller | core RetentionTest#aWallClockThatIsSetBackDoesNotSwitchItOff
            puller.cleaner.retention | 7h | | puller | core RetentionTest#whatIsOlderThanTheRetentionGoes
            puller.metrics.host | 127.0.0.2 | | node |
            puller.metrics.port | FREE | | node |
            puller.metrics.path | /other | | node |
            puller.health.host | 127.0.0.2 | | node |
            puller.health.port | FREE | | node |
            puller.health.path | /other | | node |
            puller.max_ahead_wait | 7s | | puller | grpc PullerGrpcServerTest#aMarkerAheadIsRefusedOnlyAfterAWhileAndRetryably
            routing.mode | consistent_hash | | streamer | core DeliveryPromisesTest#row27_theRingServesSubscriptionsWithoutAGateway
            routing.num_partitions | 7 | | streamer | server StreamerRoleTest#healthAndAdminTellOfPartitionsGatewaysAndLanes
            routing.max_fanout | 7 | routing.mode=broadcast | streamer | core RingTest#row28_aBroadcastGoesToAllThatLiveOrToAlwaysTheSameFew
            routing.stuck_after | 7s | | role | server StuckSubscriptionsTest#oneIsDeliveredApartAfterAWhileAndCatchesUp
            routing.max_stuck | 7 | | role | server StuckSubscriptionsTest#noMoreThanSoManyAreDeliveredApart
            routing.path | other | | streamer | server ConfigFileTest#whereTheStreamerKeepsItsOwnFollowsTheEventLog
            routing.pullers | [10.0.0.1:50051] | | streamer | server StreamerRoleTest#aStreamerAloneReadsAPullerElsewhere
            routing.grpc.address | 127.0.0.1:50062 | | role | server EndUsersTest#anEndUserStaysConnectedWhileTheStreamerIsRestartedAndMissesNothing
            routing.subscriptions.per_gateway | 7 | | streamer | core SubscriptionRegistryTest#quotasCountWhatTheBatchItselfAdds
            routing.subscriptions.per_tenant | 7 | | streamer | core SubscriptionRegistryTest#quotasCountWhatTheBatchItselfAdds
            routing.subscriptions.total | 7 | | streamer | core SubscriptionRegistryTest#quotasCountWhatTheBatchItselfAdds
            routing.batch.max_size | 7 | | streamer | core SettingsActTest#aBatchHoldsNoMoreThanItsSize
            routing.batch.max_wait | 70ms | | streamer | core DeliveryPromisesTest#row26_anIdleLaneSendsAtOnceAndABusyOneWithinTheLongestWait
            routing.batch.flush_interval | 7ms | | streamer | core SettingsActTest#aBusyLaneIsLookedAtEveryFlushInterval
            routing.backpressure.soft_watermark | 7 | | streamer | core DeliveryPromisesTest#row22_atTheSoftWatermarkOnlyTheLowClassFallsBehind
            routing.backpressure.hard_watermark | 77 | | streamer | core LaneFiguresTest#aFloodOfOneClassLeavesRoomForTheOneAboveIt
            routing.backpressure.queue_size | 7 | | streamer | core LaneFiguresTest#allClassesTogetherHoldNoMoreThanTheQueue
            routing.delivery.protocol | grpc | | streamer | core ControlPlaneTest#aGatewayThatDoesNotSayItsProtocolHasTheUsualOne
            routing.delivery.timeout | 7s | | streamer | http Http2Test#aConnectionThatSaysNothingIsLeft
            routing.delivery.retry.max_attempts | 7 | | streamer | core DeliveryPromisesTest#row23_anEventThatAloneBreaksAGatewayThatAnswersIsADeadLetterAfterTheAttempts
            routing.delivery.retry.initial_delay | 7ms | | streamer | core SettingsActTest#pausesBeginGrowAndEndAsTheyAreSet
            routing.delivery.retry.max_delay | 7s | | streamer | core SettingsActTest#pausesBeginGrowAndEndAsTheyAreSet
            routing.delivery.retry.multiplier | 7.0 | | streamer | core SettingsActTest#pausesBeginGrowAndEndAsTheyAreSet
            routing.delivery.nats.mode | jetstream | | streamer | nats JetStreamDelivererTest#eachMessageTellsWhatConcernsItsEvent
            routing.delivery.nats.user | u | +routing.delivery.nats.password=p | streamer | server DeliverersReachGatewaysTest#natsServersThatAskWhoComesAreToldByTheConfiguration
            routing.delivery.nats.password | q | routing.delivery.nats.user=u; routing.delivery.nats.password=p | streamer | server DeliverersReachGatewaysTest#natsServersThatAskWhoComesAreToldByTheConfiguration
            routing.delivery.nats.token | t | | streamer | server DeliverersReachGatewaysTest#natsServersThatAskWhoComesAreToldByTheConfiguration
            routing.delivery.nats.credentials | pom.xml | | streamer | server DeliverersReachGatewaysTest#natsServersThatWantCredentialsAreShownThoseOfTheFile
            routing.delivery.kafka.properties | {sasl.mechanism: PLAIN} | | streamer | server DeliverersReachGatewaysTest#kafkaBrokersThatAskWhoComesAreToldByTheConfiguration
            routing.dlq.enabled | false | | streamer | core DeliveryPromisesTest#row25_withoutDeadLettersTheLaneWaits_andOnlyForThatSubscription
            routing.dlq.max_age | 7h | | role | server StreamerMetricsTest#whatIsRefusedIsCountedAndInTheEndPurged
            reliability.checkpoint.backend | mongodb | | streamer | server LostPositionsTest#theMirrorSaysWhereToGoOn
            reliability.checkpoint.endpoints | [http://127.0.0.1:2380] | reliability.checkpoint.backend=etcd | cluster | server LostPositionsTest#theMirrorSaysWhereToGoOn
            reliability.checkpoint.interval | 7s | | streamer | core SettingsActTest#positionsAreSavedByTimeAndByCount
            reliability.checkpoint.event_count | 7 | | streamer | core SettingsActTest#positionsAreSavedByTimeAndByCount
            reliability.gap_detection.enabled | false | | puller | core CaptureLoopTest#neitherEventsNorAMovingPositionIsAStallThatReconnects
            reliability.gap_detection.max_gap | 7s | | streamer | grpc GrpcLogFeedTest#aSilentPullerIsGivenUp
            reliability.circuit_breaker.threshold | 7 | | streamer | core DeliveryPromisesTest#row24_aFailedBatchStaysFirst_attemptsAreSpaced_theBreakerOpensAtFiveAndAProbeClosesIt
            reliability.circuit_breaker.timeout | 7s | | streamer | core DeliveryPromisesTest#row24_aFailedBatchStaysFirst_attemptsAreSpaced_theBreakerOpensAtFiveAndAProbeClosesIt
            reliability.shutdown.flush_timeout | 7s | | streamer | server StreamerStopTest#whatIsNotAcknowledgedInTimeComesAfterTheNextStart
            reliability.shutdown.checkpoint_timeout | 7s | | streamer | testkit GroupPromisesTest#aUserThatDoesNotStopDelaysOnlyItsOwnPartitionAndOnlyForAWhile
            reliability.lag_threshold | 7s | | streamer | server StreamerMetricsTest#aGatewayThatFailsIsSeenInFiguresOfItsOwn
            outbox.name | other | | role | server OutboxRoleTest#messagesGoToJetStreamToo
            outbox.datasource.url | jdbc:h2:mem:o | | role | server OutboxRoleTest#whatIsCommittedArrivesInKafkaAndTheNodeTellsHowItFares
            outbox.datasource.username | u | | role | server OutboxRoleTest#theDatabaseIsToldWhoComes
            outbox.datasource.password | p | | role | server OutboxRoleTest#theDatabaseIsToldWhoComes
            outbox.sink | nats | | relay | server OutboxRoleTest#messagesGoToJetStreamToo
            outbox.kafka.bootstrap_servers | 127.0.0.1:9093 | | relay | server OutboxRoleTest#whatIsCommittedArrivesInKafkaAndTheNodeTellsHowItFares
            outbox.kafka.properties | {linger.ms: 7} | | relay | outbox AtLeastOnceSinkTest#propertiesThatWouldLoseOrderOrRowsAreRefused
            outbox.nats.servers | [nats://127.0.0.1:4223] | outbox.sink=nats | relay | server OutboxRoleTest#messagesGoToJetStreamToo
            outbox.nats.user | u | +outbox.nats.password=p | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.nats.password | q | outbox.nats.user=u; outbox.nats.password=p | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.nats.token | t | | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.nats.credentials | pom.xml | | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.encryption.keys | {k: MDEyMzQ1Njc4OWFiY2RlZg==} | | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.encryption.key_files | {k: AES_KEY} | | relay | server OutboxSecretsTest#encryptedPayloadsReachANatsServerThatAsksForALoginInTheClear
            outbox.delivery | exactly_once | | relay | outbox ExactlyOnceSinkTest#theNextOwnerLearnsWhatTheLastOneCommitted
            outbox.cloud_events | true | | relay | outbox AtLeastOnceSinkTest#cloudEventsSayWhoWhatAndWhenInHeaders
            outbox.batch.min_rows | 7 | | relay | outbox PartitionRelayTest#batchesGrowWhileTheyAreQuickAndShrinkWhenTheyAreSlow
            outbox.batch.max_rows | 777 | | relay | outbox PartitionRelayTest#batchesGrowWhileTheyAreQuickAndShrinkWhenTheyAreSlow
            outbox.max_attempts | 7 | | relay | outbox PartitionRelayTest#onePoisonKeyAmongFiveThousandDelaysNoOtherByMoreThanABatch
            outbox.dead_letter_topic | dead | | relay | outbox JetStreamSinkTest#everyCopyOfADeadRowArrives
            outbox.keep | 7d | | relay | outbox HousekeepingTest#keptRowsGoWhenTheyAreAsOldAsIsSet
            outbox.assignment | modulo | | relay | core AssignerTest#moduloGivesThreeNodesOfSixPartitionsTwoEach
            outbox.weight | 7 | | relay | core AssignerTest#stickyGivesTwiceTheWeightTwiceTheShare
            outbox.global_lock | old.task | | role | server OutboxRoleTest#besideNodesOfTheOldKindItSendsOnlyWithTheirLock
            outbox.profile | relaxed | | relay | core StabiliserTest#aColdStartWaitsItsWindowForOthersAndAssignsOnce
            outbox.node.id | m | | role | server OutboxRoleTest#whatIsCommittedArrivesInKafkaAndTheNodeTellsHowItFares
            outbox.node.timeout | 70s | | relay | testkit GroupPromisesTest#aZombiePausedLongerThanItsLeaseNeverWrites
            outbox.total.partitions | 7 | | role | server OutboxRoleTest#whatIsCommittedArrivesInKafkaAndTheNodeTellsHowItFares
            outbox.task.scheduler.publish.fixed_rate | 7s | | relay | outbox PartitionRelayTest#pausesGrowWhileNothingComesAndEndWithTheNextRetry
            outbox.task.scheduler.publish.initial_delay | 7s | | relay | core StabiliserTest#aColdStartWaitsItsWindowForOthersAndAssignsOnce
            outbox.task.scheduler.heartbeat.fixed_rate | 7s | | relay | testkit GroupPromisesTest#aMemberRenewsItsLeaseAtItsOwnBeat
            shedlock.defaults.lock_at_most_for | 25s | | relay | testkit GroupPromisesTest#aZombiePausedLongerThanItsLeaseNeverWrites
            worker.servers | [nats://127.0.0.1:4223] | | worker | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.user | u | +worker.password=p | worker | server WorkerRoleTest#natsServersThatAskForALoginGetIt
            worker.password | q | worker.user=u; worker.password=p | worker | server WorkerRoleTest#natsServersThatAskForALoginGetIt
            worker.token | t | | worker | server WorkerRoleTest#natsServersThatAskForALoginGetIt
            worker.credentials | pom.xml | | worker | server DeliverersReachGatewaysTest#natsServersThatWantCredentialsAreShownThoseOfTheFile
            worker.replicas | 3 | | worker | nats NatsBucketsTest#asManyCopiesAreAskedForAsAreSet
            worker.stream | OTHER | | role | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.consumer_prefix | other | | role | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.partitions.subjects | [b] | | worker | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.partitions.pattern | a.{x} | +worker.partitions.subjects=[] | worker | worker SettingsActTest#newSubjectsOfAPatternAreFoundWithinTheInterval
            worker.partitions.hashed.prefix | orders | +worker.partitions.subjects=[] | worker | worker SettingsActTest#inOrderByKeyOneSubjectDoesNotWaitForAnother
            worker.partitions.hashed.count | 7 | worker.partitions.subjects=[]; worker.partitions.hashed.prefix=orders | worker | worker PartitionsOnNatsTest#thePrintedTransformSendsEveryMessageToOnePartition
            worker.consumers | per-partition | | worker | worker SettingsActTest#consumersPerPartitionAndShardsOfAWorker
            worker.max_subjects | 7 | | worker | worker SettingsActTest#moreSubjectsThanOneConsumerTakesAreAProblemThatIsTold
            worker.shards | 7 | | worker | worker SettingsActTest#consumersPerPartitionAndShardsOfAWorker
            worker.min_update_interval | 7s | | worker | worker UpdatePaceTest#theFirstUpdateIsDueAtOnceTheNextAfterTheInterval
            worker.max_ack_pending | 70 | | worker | worker SettingsActTest#theConsumerOnTheServerHasTheLimits
            worker.max_waiting | 7 | | worker | worker SettingsActTest#theConsumerOnTheServerHasTheLimits
            worker.ack_wait | 70s | | worker | worker SettingsActTest#theConsumerOnTheServerHasTheLimits
            worker.attempts | 7 | | worker | server WorkerRoleTest#everyMessageReachesTheHttpReceiverInOrderPerPartitionAndPoisonBecomesADeadLetter
            worker.backoff | [7s] | | worker | worker SettingsActTest#aPostponedMessageIsTriedUntilItIsHandledAndAFailedOneForItsAttempts
            worker.inactive_threshold | 7m | | worker | worker SettingsActTest#theConsumerOnTheServerHasTheLimits
            worker.batch | 7 | | worker | worker AdaptiveBatchTest#beginsAsConfiguredAndNotAboveTheCapacity
            worker.batch_bytes | 7KiB | | worker | worker JetStreamPullTest#allMessagesComeWhateverTheBoundInBytes
            worker.start | now | | worker | worker SettingsActTest#aPartitionStartsNowAndNotAtTheEarliest
            worker.on_gap | continue | | worker | worker SettingsActTest#aGapStopsThePartitionUnlessItIsToContinue
            worker.discover | 7s | | worker | worker SettingsActTest#newSubjectsOfAPatternAreFoundWithinTheInterval
            worker.order | key | | worker | worker SettingsActTest#inOrderByKeyOneSubjectDoesNotWaitForAnother
            worker.strategy | modulo | | worker | core AssignerTest#moduloGivesThreeNodesOfSixPartitionsTwoEach
            worker.max_singles | 7 | | worker | worker SettingsActTest#onAWorkQueueMoreSinglesThanAllowedAreJoined
            worker.id_file | other.id | | worker | worker SettingsActTest#theConsumerOnTheServerHasTheLimits
            worker.migration.window | 7s | | worker | worker ModeMigrationTest#theNewModeHandlesWhenItWasComparedAndStaysAfterTheBurnIn
            worker.migration.windows | 7 | | worker | worker MigrationTest#theNextPhaseFollowsTheWindowsOfAllWorkers
            worker.migration.bad_windows | 7 | | worker | worker MigrationTest#theNextPhaseFollowsTheWindowsOfAllWorkers
            worker.migration.burn_in | 7m | | worker | worker MigrationTest#theNextPhaseFollowsTheWindowsOfAllWorkers
            worker.migration.max_lag | 7 | | worker | worker ModeMigrationTest#badWindowsBringTheOldModeBack
            worker.migration.max_redelivered | 7 | | worker | worker WindowHealthTest#redeliveriesAboveTheLimitAreBad
            worker.dlq.stream | OTHER | | worker | server WorkerRoleTest#everyMessageReachesTheHttpReceiverInOrderPerPartitionAndPoisonBecomesADeadLetter
            worker.dlq.max_bytes | 7MiB | | worker | worker JetStreamDeadLettersTest#aMissingStreamIsMadeSoThatItLosesNothing
            worker.handler.type | grpc | | role | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.handler.url | http://127.0.0.1:1 | | role | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.handler.subject | out | | role | server WorkerRoleTest#messagesReachAGrpcServiceAndAnotherStream
            worker.handler.token | t | | worker | server ReceiversTest#overHttp2WithTheMessagesHeadersAndOurs
            worker.handler.timeout | 7s | | worker | http HttpForwardTest#aReceiverThatSaysNothingIsLeftAfterTheTimeout
            cluster.store | nats | +cluster.endpoints=[nats://127.0.0.1:4222] | refused | server SluiceTest#aStoreThatNoRoleUsesIsRefused
            cluster.endpoints | [http://127.0.0.1:2380] | cluster.store=etcd; cluster.endpoints=[http://127.0.0.1:2379]; puller.checkpoint.backend=etcd | cluster | server PullerFaultsTest#captureGoesOnWhileEtcdIsAwayAndALostDiskIsRefilledFromTheMirror
            cluster.tls.ca | CERTIFICATE | puller.checkpoint.backend=etcd; puller.checkpoint.endpoints=[https://127.0.0.1:2379] | cluster | server SecuredEtcdTest#theMirrorOfCheckpointsComesInByItsOwnEndpointsOrTheClusters
            cluster.tls.certificate | CERTIFICATE | puller.checkpoint.backend=etcd; puller.checkpoint.endpoints=[https://127.0.0.1:2379]; +cluster.tls.key=KEY | cluster | server SecuredEtcdTest#theMirrorOfCheckpointsComesInByItsOwnEndpointsOrTheClusters
            cluster.tls.key | KEY | puller.checkpoint.backend=etcd; puller.checkpoint.endpoints=[https://127.0.0.1:2379]; +cluster.tls.certificate=CERTIFICATE | cluster | server SecuredEtcdTest#theMirrorOfCheckpointsComesInByItsOwnEndpointsOrTheClusters
            cluster.prefix | /other/ | | cluster | server LostPositionsTest#theMirrorSaysWhereToGoOn
            cluster.node_id | m | | cluster | server ClusterTest#aMemberByConfigurationOwnsItsPartitionsAndSaysSo
            cluster.lease_ttl | 7s | | cluster | testkit GroupPromisesTest#aZombiePausedLongerThanItsLeaseNeverWrites
            cluster.assignment | modulo | | cluster | core AssignerTest#moduloGivesThreeNodesOfSixPartitionsTwoEach
            cluster.replicas | 3 | +cluster.store=nats; +cluster.endpoints=[nats://127.0.0.1:4222] | refused | server SluiceTest#aStoreThatNoRoleUsesIsRefused
            cluster.secrets | [0123456789abcdef] | | cluster | server ClusterTest#aMemberWithoutTheSecretGetsNothing
            gateway.address | 127.0.0.1:8091 | | gateway | server GatewayRoleTest#aChangeArrivesAtAnEndUser
            gateway.id | other | | gateway | gateway GatewayControlTest#itIsWhereTheStreamerThinksItIsAndStaysUpByItsBeats
            gateway.streamer | 10.0.0.1:50052 | | gateway | gateway GatewayControlTest#itIsWhereTheStreamerThinksItIsAndStaysUpByItsBeats
            gateway.receive | 127.0.0.1:8092 | | gateway | gateway GatewayProtocolsTest#byHttp2
            gateway.advertise | http://10.0.0.2:8092 | | gateway | gateway GatewayProtocolsTest#byGrpcWithTlsWhereItSaysItIs
            gateway.jwt.secret | 0123456789abcdef0123456789abcdef | | gateway | server GatewayRoleTest#withASecretNobodyComesInWithoutAToken
            gateway.jwt.other_secrets | [abcdef0123456789abcdef0123456789] | gateway.jwt.secret=0123456789abcdef0123456789abcdef | gateway | gateway JwtAuthenticatorTest#whileAKeyIsReplacedTokensOfBothAreTaken
            gateway.jwt.public_key | PUBLIC_KEY | | gateway | gateway JwtAuthenticatorTest#anRsaKeyWorksAndItsPublicHalfIsNoSecretForHs256
            gateway.jwt.other_public_keys | [PUBLIC_KEY] | gateway.jwt.public_key=PUBLIC_KEY | gateway | gateway JwtAuthenticatorTest#whileAKeyIsReplacedTokensOfBothAreTaken
            gateway.origins | [https://app.example.com] | | gateway | gateway GatewayServerTest#onlyOwnPagesAndListedOnesConnect
            gateway.limits.connections | 7 | | gateway | gateway GatewayServerTest#connectionsAreCountedByAddressAndAltogether
            gateway.limits.connections_per_address | 7 | | gateway | gateway GatewayServerTest#connectionsAreCountedByAddressAndAltogether
            gateway.limits.subscriptions_per_connection | 7 | | gateway | gateway GatewayServerTest#whatAWebSocketSaysWronglyIsAnsweredAndTheConnectionStays
            gateway.lease | 7s | | streamer | core GatewayRegistryTest#oneThatStopsIsAwayAfterTheLeaseAndGoneAfterTheGrace
            gateway.grace | 7s | | streamer | core GatewayRegistryTest#oneThatStopsIsAwayAfterTheLeaseAndGoneAfterTheGrace
            security.tls.certificate | CERTIFICATE | +security.tls.key=KEY | node |
            security.tls.key | KEY | +security.tls.certificate=CERTIFICATE | node |
            security.tls.ca | CERTIFICATE | security.tls.certificate=CERTIFICATE; security.tls.key=KEY | node |
            security.token | 0123456789abcdef | | node |
            security.insecure | true | | refusals |
            log.level | debug | | logging |
            log.levels | {dev.sluice.capture: trace} | | logging |
            """;

    /** Makes what would be random the same each time, and lets a node start. */
    private static final Map<String, String> BASE = Map.of(
            "storage.backends[].name", "a",
            "storage.backends[].connection", "mongodb://127.0.0.1:27017",
            "storage.backends[].database", "d",
            "puller.backends[].name", "a",
            "puller.metrics.port", "0",
            "puller.health.port", "0",
            "cluster.node_id", "n",
            "outbox.node.id", "n",
            "worker.partitions.subjects", "[a]");

    private static final Set<String> BEHAVIOUR = Set.of("node", "logging", "refusals");
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @TempDir
    static Path folder;

    private static SelfSigned certificate;
    private static Map<String, String> sources;
    private static final Map<String, String> fallbacks = KeyReference.of(SluiceConfig.class).stream()
            .collect(Collectors.toMap(
                    KeyReference::key, reference -> reference.fallback().replace("`", "")));
    private static final Map<String, String> seenBefore = new HashMap<>();
    private static final HttpClient client =
            HttpClient.newBuilder().sslContext(TrustEverybody.context()).build();

    record Row(String key, String value, String with, String where, String proof) {
        @Override
        public String toString() {
            return key;
        }
    }

    static Stream<Row> rows() {
        return TABLE.lines()
                .map(line -> line.split(" *\\| *", -1))
                .map(row -> new Row(row[0], row[1], row[2], row[3], row[4]));
    }

    @BeforeAll
    static void prepare() throws Exception {
        certificate = SelfSigned.make(folder, "server");
        var keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
        var pem = Base64.getMimeEncoder().encodeToString(keys.getPublic().getEncoded());
        Files.writeString(
                folder.resolve("public.pem"), "-----BEGIN PUBLIC KEY-----\n" + pem + "\n-----END PUBLIC KEY-----\n");
        Files.writeString(folder.resolve("aes"), "MDEyMzQ1Njc4OWFiY2RlZg==");
        sources = testSources();
    }

    private static Map<String, String> testSources() throws IOException {
        var found = new HashMap<String, String>();
        try (var modules = Files.list(ROOT)) {
            for (var module : modules.filter(each -> Files.isDirectory(each.resolve("src/test/java")))
                    .toList()) {
                try (var files = Files.walk(module.resolve("src/test/java"))) {
                    for (var file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        var name = file.getFileName().toString().replace(".java", "");
                        found.put(module.getFileName() + " " + name, Files.readString(file));
                    }
                }
            }
        }
        return found;
    }

    @Test
    void everyKeyHasARow() {
        assertThat(rows().map(Row::key))
                .containsExactlyInAnyOrderElementsOf(KeyReference.of(SluiceConfig.class).stream()
                        .map(KeyReference::key)
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void changingItChangesWhatHappens(Row row) {
        var before = new TreeMap<>(BASE);
        var after = new TreeMap<>(BASE);
        for (var setting : row.with.split("; *")) {
            var both = !setting.startsWith("+");
            var parts = setting.replace("+", "").split("=", 2);
            if (parts.length == 2) {
                after.put(parts[0], real(parts[1]));
                if (both) {
                    before.put(parts[0], real(parts[1]));
                }
            }
        }
        after.put(row.key, real(row.value));
        if (row.where.equals("refused")) {
            assertThat(RoleRefusals.of(accepted(after)))
                    .allSatisfy((role, keys) -> assertThat(keys).contains("cluster.store"));
            assertThat(RoleRefusals.of(accepted(BASE)))
                    .as("but for the key")
                    .allSatisfy((role, keys) -> assertThat(keys).doesNotContain("cluster.store"));
        } else if (!row.where.equals("role")) {
            var once = seenBefore.computeIfAbsent(row.where + before, none -> seen(row.where, before));
            assertThat(seen(row.where, after)).as("seen by " + row.where).isNotEqualTo(once);
            if (!BEHAVIOUR.contains(row.where)) {
                assertThat(seen(row.where, before)).as("seen the same twice").isEqualTo(once);
            }
        }
        assertThatItIsProved(row);
    }

    private static void assertThatItIsProved(Row row) {
        if (BEHAVIOUR.contains(row.where)) {
            assertThat(row.proof).as("it is seen here").isEmpty();
            return;
        }
        var test = row.proof.split("#");
        assertThat(sources).as("test classes").containsKey(test[0]);
        var source = sources.get(test[0]);
        assertThat(source).as(test[0]).contains("void " + test[1] + "(");
        if (row.where.equals("role")) {
            assertThat(test[0]).startsWith("server ");
            assertThat(new ProofSource(sources, test[0], test[1]).values(row.key))
                    .as("what %s sets %s to, besides the default", row.proof, row.key)
                    .anyMatch(value -> !value.equals(fallbacks.get(row.key)));
        }
    }

    private static String real(String value) {
        return value.replace("AES_KEY", folder.resolve("aes").toString())
                .replace("PUBLIC_KEY", folder.resolve("public.pem").toString())
                .replace("CERTIFICATE", certificate.certificate().toString())
                .replace("KEY", certificate.key().toString())
                .replace("FREE", String.valueOf(FREE_PORT));
    }

    private static final int FREE_PORT = FreePorts.take();

    private static String seen(String where, Map<String, String> settings) {
        try {
            return look(where, settings);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String look(String where, Map<String, String> settings) throws Exception {
        if (where.equals("refusals")) {
            return refusals(settings);
        }
        var config = accepted(settings);
        return switch (where) {
            case "puller" -> Contents.of(PullerWiring.of(config));
            case "streamer" -> Contents.of(StreamerWiring.of(config));
            case "relay" -> Contents.of(RelayWiring.of(config));
            case "worker" -> Contents.of(WorkerWiring.of(config));
            case "gateway" -> Contents.of(GatewayWiring.of(config));
            case "cluster" -> Contents.of(ClusterWiring.of(config));
            case "node" -> answers(config);
            case "logging" -> levels(config);
            default -> throw new AssertionError("nobody looks at " + where);
        };
    }

    private static SluiceConfig accepted(Map<String, String> settings) {
        var reading = ConfigFile.parse(MappingTest.yaml(settings), Map.of());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    /** An address that others can reach, with the settings. */
    private static String refusals(Map<String, String> settings) {
        var open = new TreeMap<>(settings);
        open.put("puller.grpc.address", "0.0.0.0:50051");
        return ConfigFile.parse(MappingTest.yaml(open), Map.of()).getClass().getSimpleName();
    }

    private static String levels(SluiceConfig config) {
        var loggers = new LoggerContext();
        ServerLogging.apply(config.log(), loggers);
        return Stream.of("dev.sluice", "dev.sluice.capture")
                .map(name -> loggers.getLogger(name).getEffectiveLevel())
                .toList()
                .toString();
    }

    /** How a node without any role answers where one usually listens, and where the changed keys say. */
    private static String answers(SluiceConfig config) throws Exception {
        try (var node = Node.start(config, EnumSet.noneOf(Role.class), "test")) {
            var admin = node.http().adminPort();
            var metrics = node.http().metricsPort();
            return Stream.of("/health", "/metrics", "/other")
                            .map(path -> answer(admin, path) + " " + answer(metrics, path))
                            .collect(Collectors.joining(", "))
                    + (admin == FREE_PORT)
                    + (metrics == FREE_PORT);
        }
    }

    private static String answer(int port, String path) {
        return answer("http", port, path) + "/" + answer("https", port, path);
    }

    private static String answer(String protocol, int port, String path) {
        try {
            var address = URI.create(protocol + "://127.0.0.1:" + port + path);
            return String.valueOf(
                    client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode());
        } catch (IOException refused) {
            return "nothing";
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }
}
