package io.inferwatch.local.bench;

import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Events of a made-up fleet, the same for the same seed. Each request falls at random into one of a given number of cells, which are
 * combinations of dimension values: a replica with its node, region, pool, model and version, and within it a tenant, a prompt bucket, a
 * cache bucket, a turn, a template and a class. Latencies are lognormal. Every replica is one stream without gaps and sends a heartbeat every five seconds of
 * event time. Within a partition event time advances evenly; a request is up to half a second out of order. Each instance is one partition; not thread safe.
 */
final class FleetLoad {
    /** Takes what is made. */
    interface Target {
        /** Takes one event, which happened at that time. */
        void accept(long eventTimeMicros, byte[] key, byte[] value);
    }

    /**
     * What to make.
     *
     * @param requests over all partitions
     * @param cells combinations of dimension values
     * @param partitions into which replicas are divided
     * @param mostReplicas there are as many as a quarter of the cells, but no more than these
     * @param requestsPerSecond of event time, over all partitions
     * @param startMicros event time of the beginning
     */
    record Plan(
            long requests,
            int cells,
            int partitions,
            int mostReplicas,
            long requestsPerSecond,
            long startMicros,
            long seed) {
        Plan {
            if (cells < partitions || cells % partitions != 0 || requests % partitions != 0) {
                throw new IllegalArgumentException("cells and events: must be multiples of the " + partitions
                        + " partitions, found " + cells + " and " + requests);
            }
        }

        int replicas() {
            int wanted = Math.max(partitions, Math.min(mostReplicas, cells / 4));
            return wanted - wanted % partitions;
        }

        /** Event time of the last request. */
        long endMicros() {
            return startMicros + requests * 1_000_000 / requestsPerSecond;
        }
    }

    static final long HEARTBEAT_MICROS = 5_000_000;

    private static final int MAX_DISORDER_MICROS = 500_000;
    private static final int SHAPES = 4_096;
    private static final int TENANTS = 10;
    private static final long[] PROMPTS = {256, 1_024, 4_096, 16_384, 65_536};
    private static final long[] CACHED_PERCENT = {5, 80};
    private static final int[] TURNS = {1, 4};
    private static final List<String> TEMPLATES = List.of("chat", "summary", "extraction", "agent");
    private static final List<String> CLASSES = List.of("short", "multi-turn", "long-document");

    private final Plan plan;
    private final int partition;
    private final SplittableRandom random;
    private final EventCodec codec = new EventCodec();
    private final double[] shapes = new double[SHAPES];
    private final Replica[] replicas;
    private final RequestEvent event;

    /** What is the same in all events of a replica. */
    private static final class Replica {
        final String name;
        final byte[] key;
        final String node;
        final String region;
        final String pool;
        final String model;
        final String version;
        final String stream;
        final String pod;
        final double slowness;
        long sequence;

        Replica(int number) {
            name = "replica-%04d".formatted(number);
            key = name.getBytes(StandardCharsets.UTF_8);
            node = "node-%03d".formatted(number / 8);
            region = "region-" + number / 8 % 3;
            pool = "pool-" + number / 8 % 5;
            model = "model-" + number % 8;
            version = "v" + (1 + number / 8 % 2);
            stream = "bench/" + name;
            pod = name + "-7c9f8d6b5-x2k4q";
            slowness = 0.8 + number % 5 * 0.1;
        }
    }

    FleetLoad(Plan plan, int partition) {
        this.plan = plan;
        this.partition = partition;
        random = new SplittableRandom(plan.seed * 31 + partition);
        for (int i = 0; i < SHAPES; i++) {
            double gaussian =
                    Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
            shapes[i] = Math.exp(0.5 * gaussian);
        }
        replicas = new Replica[plan.replicas()];
        for (int i = partition; i < replicas.length; i += plan.partitions) {
            replicas[i] = new Replica(i);
        }
        event = blank();
    }

    /** Makes all events of the partition, in their order. */
    void generate(Target target) {
        long requests = plan.requests / plan.partitions;
        long made = 0;
        double microsPerRequest = 1e6 * plan.partitions / plan.requestsPerSecond;
        long nextHeartbeats = plan.startMicros + HEARTBEAT_MICROS;
        while (made < requests) {
            long time = plan.startMicros + (long) (made * microsPerRequest);
            if (time >= nextHeartbeats) {
                heartbeats(nextHeartbeats, target);
                nextHeartbeats += HEARTBEAT_MICROS;
            }
            request(time, target);
            made++;
        }
    }

    /** Makes one request that ended at the time or up to half a second before. */
    void request(long time, Target target) {
        int cell = random.nextInt(plan.cells / plan.partitions) * plan.partitions + partition;
        Replica replica = replicas[cell % replicas.length];
        // What tells the cells of a replica apart, in mixed radix.
        int rest = cell / replicas.length;
        int tenant = rest % TENANTS;
        rest /= TENANTS;
        int prompt = rest % PROMPTS.length;
        rest /= PROMPTS.length;
        int cache = rest % CACHED_PERCENT.length;
        rest /= CACHED_PERCENT.length;
        int turn = rest % TURNS.length;
        rest /= TURNS.length;

        long promptTokens = PROMPTS[prompt] + random.nextInt((int) PROMPTS[prompt] / 2);
        long cachedTokens = promptTokens * CACHED_PERCENT[cache] / 100;
        long outputTokens = 1 + (long) (180 * shape());
        long queue = (long) (4_000 * shape());
        long prefill = (long) ((8_000 + 9 * (promptTokens - cachedTokens)) * replica.slowness * shape());
        long ttft = queue + prefill + 1_500;
        long tpot = (long) (21_000_000 * replica.slowness * shape());
        long decode = (outputTokens - 1) * tpot / 1_000;
        long e2e = ttft + decode;
        long completed = time - random.nextInt(MAX_DISORDER_MICROS);
        int luck = random.nextInt(1_000);
        Outcome outcome = luck < 965
                ? Outcome.OK
                : luck < 980 ? Outcome.LENGTH : luck < 990 ? Outcome.CLIENT_CANCEL : Outcome.HTTP_ERROR;
        boolean answered = outcome != Outcome.HTTP_ERROR;

        event.setStream(replica.stream);
        event.setSequence(replica.sequence++);
        event.setCompletedAtMicros(completed);
        event.setOutcome(outcome);
        event.setReplica(replica.name);
        event.setNode(replica.node);
        event.setRegion(replica.region);
        event.setPool(replica.pool);
        event.setModel(replica.model);
        event.setVersion(replica.version);
        event.setPod(replica.pod);
        event.setTenant(TENANT_HASHES[tenant]);
        event.setTurn(TURNS[turn]);
        event.setTemplate(TEMPLATES.get(rest % TEMPLATES.size()));
        event.setWorkloadClass(CLASSES.get(rest / TEMPLATES.size() % CLASSES.size()));
        event.setTtftMicros(answered ? ttft : null);
        event.setTpotNanos(answered && outputTokens > 1 ? tpot : null);
        event.setE2eMicros(e2e);
        event.setQueueMicros(queue);
        event.setPrefillMicros(prefill);
        event.setDecodeMicros(answered ? decode : null);
        event.setPromptTokens(promptTokens);
        event.setCachedTokens(cachedTokens);
        event.setOutputTokens(answered ? outputTokens : null);
        event.setStartedAtMicros(completed - e2e);
        event.setTtfbMicros(ttft - 300);
        event.setStreamEndMicros(e2e + 200);
        event.setMaxStallMicros(tpot / 250);
        event.setHttpStatus(answered ? 200 : 503);
        event.setFinishReason(outcome == Outcome.LENGTH ? "length" : answered ? "stop" : null);
        event.setChunks(outputTokens + 2);
        event.setTokenChunks(outputTokens);
        event.setTraceId(HexFormat.of().toHexDigits(random.nextLong()));
        target.accept(completed, replica.key, codec.encode(event));
    }

    /** Makes a heartbeat of each replica of the partition. */
    void heartbeats(long time, Target target) {
        for (int i = partition; i < replicas.length; i += plan.partitions) {
            Replica replica = replicas[i];
            Heartbeat heartbeat = Heartbeat.newBuilder()
                    .setStream(replica.stream)
                    .setNextSequence(replica.sequence)
                    .setEventTimeMicros(time)
                    .setEmittedAtMicros(time)
                    .setReplica(replica.name)
                    .setNode(replica.node)
                    .setRegion(replica.region)
                    .setPool(replica.pool)
                    .setModel(replica.model)
                    .setVersion(replica.version)
                    .setPod(replica.pod)
                    // Its clock is the load's, which the screen must not take for one that is off.
                    .setSource(Source.REPLAY)
                    .setIntervalMicros(HEARTBEAT_MICROS)
                    .setOpenRequests(i % 7)
                    .setAwaitingFirstToken(i % 3)
                    .setOldestOpenMicros(i % 7 == 0 ? null : 1_000_000L)
                    .setStartedTotal(replica.sequence + i % 7)
                    .setCompletedTotal(replica.sequence)
                    .setFailedTotal(0)
                    .setCancelledTotal(0)
                    .build();
            target.accept(time, replica.key, codec.encode(heartbeat));
        }
    }

    private double shape() {
        return shapes[random.nextInt(SHAPES)];
    }

    private static final String[] TENANT_HASHES = tenantHashes();

    private static String[] tenantHashes() {
        SplittableRandom hashes = new SplittableRandom(7);
        String[] tenants = new String[TENANTS];
        for (int i = 0; i < TENANTS; i++) {
            tenants[i] = "%016x".formatted(hashes.nextLong());
        }
        return tenants;
    }

    private static RequestEvent blank() {
        return RequestEvent.newBuilder()
                .setStream("")
                .setSequence(0)
                .setCompletedAtMicros(0)
                .setTraffic(Traffic.PRODUCTION)
                .setOutcome(Outcome.OK)
                .setReplica("")
                .setStartedAtMicros(0)
                .setSource(Source.PROXY)
                .setEndpoint(Endpoint.CHAT)
                .setTokenSource(TokenSource.USAGE)
                .setStreaming(true)
                .setService("chat-api")
                .setEngine("vllm")
                .setEngineVersion("0.11.0")
                .setMaxContextTokens(131_072L)
                .setConfiguration(Map.of())
                .build();
    }
}
