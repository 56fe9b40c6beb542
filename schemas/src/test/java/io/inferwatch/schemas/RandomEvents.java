package io.inferwatch.schemas;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** Records with every field drawn at random, empty and extreme values included. */
final class RandomEvents {
    private static final String[] TEXTS = {"", "r-1", "größe", "日本語", "a,b=c d\\", "\u0000", "\uD83D\uDE00"};
    private static final long[] NUMBERS = {
        0, 1, -1, 63, 64, -64, -65, 9_007_199_254_740_993L, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private final SplittableRandom random;

    RandomEvents(long seed) {
        random = new SplittableRandom(seed);
    }

    SpecificRecord next(Schema schema) {
        return (SpecificRecord) require(value(schema));
    }

    private @Nullable Object value(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> {
                SpecificRecord record = (SpecificRecord)
                        SpecificData.newInstance(SpecificData.get().getClass(schema), schema);
                for (Schema.Field field : schema.getFields()) {
                    record.put(field.pos(), value(field.schema()));
                }
                yield record;
            }
            case ENUM -> {
                List<String> symbols = schema.getEnumSymbols();
                yield SpecificData.get().createEnum(symbols.get(random.nextInt(symbols.size())), schema);
            }
            case UNION ->
                value(schema.getTypes().get(random.nextInt(schema.getTypes().size())));
            case ARRAY -> {
                List<@Nullable Object> items = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.add(value(schema.getElementType()));
                }
                yield items;
            }
            case MAP -> {
                Map<String, @Nullable Object> entries = new HashMap<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    entries.put("key" + i, value(schema.getValueType()));
                }
                yield entries;
            }
            case STRING -> TEXTS[random.nextInt(TEXTS.length)];
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
                yield ByteBuffer.wrap(bytes);
            }
            case INT -> (int) number();
            case LONG -> number();
            case DOUBLE -> random.nextDouble() * 1e9;
            case BOOLEAN -> random.nextBoolean();
            case NULL -> null;
            default -> throw new IllegalArgumentException("no value of " + schema);
        };
    }

    private long number() {
        return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong() >> random.nextInt(64);
    }

    private static Object require(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a record is never null");
        }
        return value;
    }
}
