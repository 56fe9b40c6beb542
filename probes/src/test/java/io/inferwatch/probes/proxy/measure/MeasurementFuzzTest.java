package io.inferwatch.probes.proxy.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that were damaged anywhere and cut anywhere: no exception, and an event that makes sense. */
class MeasurementFuzzTest {
    private static final String STREAM = """
            data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

            : ping

            data: {"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}

            data: {"id":"c","choices":[{"index":0,"delta":{"content":"\\u90a3 \\"quoted\\""}}],"usage":{"prompt_tokens":3,"completion_tokens":3}}

            data: {"type":"response.output_text.delta","delta":"x","token":{"id":1},"text":"y","outputs":[{}],"data":[1]}

            data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

            data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}

            data: [DONE]

            """;
    private static final EventCodec CODEC = new EventCodec();
    private static final Set<Outcome> SANE = EnumSet.complementOf(EnumSet.of(Outcome.UNKNOWN));

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void everyDialectSurvivesDamage(Dialect dialect) {
        damage(dialect, 1_000 + dialect.ordinal(), 400);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13, 14})
    void chatSurvivesDamage(long seed) {
        damage(Dialect.CHAT, seed, 500);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22})
    void cutsChangeNothing(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] stream = STREAM.getBytes(StandardCharsets.UTF_8);
        RequestEvent whole = Exchange.stream(Dialect.CHAT).at(0.5, stream).complete();
        assertThat(whole.getOutputTokens()).isEqualTo(4);
        assertThat(whole.getTokenChunks()).isEqualTo(2);
        for (int round = 0; round < 300; round++) {
            RequestEvent cut =
                    read(Exchange.stream(Dialect.CHAT), stream, random).complete();
            assertThat(cut.getOutcome()).isEqualTo(whole.getOutcome());
            assertThat(cut.getOutputTokens()).isEqualTo(whole.getOutputTokens());
            assertThat(cut.getTokenChunks()).isEqualTo(whole.getTokenChunks());
            assertThat(cut.getChunks()).isEqualTo(whole.getChunks());
            assertThat(cut.getFinishReason()).isEqualTo(whole.getFinishReason());
        }
    }

    private static void damage(Dialect dialect, long seed, int rounds) {
        SplittableRandom random = new SplittableRandom(seed);
        Ending[] endings = Ending.values();
        for (int round = 0; round < rounds; round++) {
            byte[] stream = mutated(STREAM.getBytes(StandardCharsets.UTF_8), random);
            Exchange exchange = random.nextInt(4) == 0 ? Exchange.json(dialect, 200) : Exchange.stream(dialect);
            Ending ending = endings[random.nextInt(endings.length)];
            RequestEvent event = read(exchange, stream, random).end(ending, 2);
            String told = "seed " + seed + ", round " + round + ": " + event;
            assertThat(SANE).as(told).contains(event.getOutcome());
            assertThat(event.getE2eMicros()).as(told).isNotNegative();
            if (event.getTtftMicros() != null) {
                assertThat(event.getTtftMicros()).as(told).isBetween(event.getTtfbMicros(), event.getE2eMicros());
            }
            if (event.getOutputTokens() != null) {
                assertThat(event.getOutputTokens()).as(told).isNotNegative();
            }
            event.setStream("s");
            event.setReplica("r");
            assertThat(CODEC.encode(event)).as(told).isNotEmpty();
        }
    }

    private static Exchange read(Exchange exchange, byte[] stream, SplittableRandom random) {
        int at = 0;
        while (at < stream.length) {
            int length = Math.min(stream.length - at, 1 + random.nextInt(random.nextInt(1, 200)));
            byte[] piece = new byte[length];
            System.arraycopy(stream, at, piece, 0, length);
            at += length;
            exchange.at(0.1 + (double) at / stream.length, piece);
        }
        return exchange;
    }

    private static byte[] mutated(byte[] bytes, SplittableRandom random) {
        byte[] mutated = bytes.clone();
        int changes = random.nextInt(1, 12);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(mutated.length);
            switch (random.nextInt(4)) {
                case 0 -> mutated[at] = (byte) random.nextInt(256);
                case 1 -> mutated[at] = (byte) "\"\\{}[]:,\r\n0".charAt(random.nextInt(11));
                case 2 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
                default -> {
                    int length = Math.min(random.nextInt(40), mutated.length - at);
                    System.arraycopy(bytes, random.nextInt(bytes.length - length), mutated, at, length);
                }
            }
        }
        return mutated;
    }
}
