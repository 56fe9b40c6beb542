package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.SkewedLengths;
import io.inferwatch.analytics.schedule.TruncatedLognormal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How many tokens prompts or answers have. */
sealed interface Lengths extends Prompts {
    /** All alike. */
    record Fixed(int tokens) implements Lengths {
        @Override
        public int length(long number, SplittableRandom random) {
            return tokens;
        }
    }

    /** As {@link SkewedLengths} says, to provoke a scheduler. */
    record Skewed(SkewedLengths lengths) implements Lengths {
        @Override
        public int length(long number, SplittableRandom random) {
            return Math.toIntExact(lengths.length(number));
        }
    }

    /** Drawn from a distribution. */
    record Lognormal(TruncatedLognormal distribution) implements Lengths {
        @Override
        public int length(long number, SplittableRandom random) {
            return distribution.quantile(random.nextDouble());
        }
    }

    /**
     * Drawn from counted lengths.
     *
     * @param tokens rising
     * @param cumulative how many have that length or a lesser one
     */
    record Histogram(List<Integer> tokens, List<Long> cumulative) implements Lengths {
        /** Unmodifiable. */
        public Histogram {
            tokens = List.copyOf(tokens);
            cumulative = List.copyOf(cumulative);
        }

        @Override
        public int length(long number, SplittableRandom random) {
            long rank = 1 + random.nextLong(cumulative.get(cumulative.size() - 1));
            int low = 0;
            int high = cumulative.size() - 1;
            while (low < high) {
                int middle = (low + high) / 2;
                if (cumulative.get(middle) < rank) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return tokens.get(low);
        }
    }

    /**
     * The length of a request.
     *
     * @param random of this request alone
     */
    int length(long number, SplittableRandom random);

    /** Words of that length, which no other prompt begins with. */
    @Override
    default Piece prompt(long number, SplittableRandom random) {
        return new Words(random.nextLong(), length(number, random));
    }

    /**
     * {@code fixed:512}, {@code lognormal:MU,SIGMA,MIN,MAX}, or {@code histogram:FILE}.
     *
     * @throws IllegalArgumentException when it is none of them
     */
    static Lengths parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        try {
            switch (kind) {
                case "fixed" -> {
                    int tokens = Integer.parseInt(rest);
                    if (tokens >= 1) {
                        return new Fixed(tokens);
                    }
                }
                case "lognormal" -> {
                    String[] parts = rest.split(",", -1);
                    if (parts.length == 4) {
                        return new Lognormal(new TruncatedLognormal(
                                Double.parseDouble(parts[0]),
                                Double.parseDouble(parts[1]),
                                Integer.parseInt(parts[2]),
                                Integer.parseInt(parts[3])));
                    }
                }
                case "histogram" -> {
                    return histogram(Path.of(rest));
                }
                default -> {
                    // Said below.
                }
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "must be fixed:TOKENS, lognormal:MU,SIGMA,MIN,MAX or histogram:FILE, found '" + text + "'");
    }

    private static Histogram histogram(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": must be a readable file, found " + e);
        }
        List<Integer> tokens = new ArrayList<>();
        List<Long> cumulative = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            boolean isHeader = i == 0 && line.equals("tokens,count");
            if (!line.isEmpty() && !isHeader) {
                long[] row = row(file, i + 1, line, tokens.isEmpty() ? 0 : tokens.get(tokens.size() - 1));
                sum += row[1];
                tokens.add((int) row[0]);
                cumulative.add(sum);
            }
        }
        if (sum == 0) {
            throw new IllegalArgumentException(file + ": must hold lengths, found none");
        }
        return new Histogram(tokens, cumulative);
    }

    private static long[] row(Path file, int number, String line, int before) {
        String[] cells = line.split(",", -1);
        try {
            long tokens = Long.parseLong(cells[0].trim());
            long count = cells.length == 2 ? Long.parseLong(cells[1].trim()) : -1;
            if (tokens > before && tokens <= Integer.MAX_VALUE && count >= 0) {
                return new long[] {tokens, count};
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(file + ", line " + number
                + ": must be TOKENS,COUNT with more tokens than the line before, found '" + line + "'");
    }

    /** For options. */
    final class Converter implements ITypeConverter<Lengths> {
        @Override
        public Lengths convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
