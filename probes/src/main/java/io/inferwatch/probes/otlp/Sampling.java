package io.inferwatch.probes.otlp;

import io.inferwatch.probes.identity.Glob;
import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one in n requests, by the first rule that matches. Which ones is a hash of the trace id, so that every probe keeps the same traces and a
 * repeat is decided alike; a kept request stands for n, its weight. Thread safe.
 */
public final class Sampling {
    /** Keeps everything. */
    static final Sampling NONE = new Sampling(List.of(), 1);

    private static final int MAX_ONE_IN = 1_000_000;

    private final List<Rule> rules;
    private final int otherwiseOneIn;

    private record Rule(Optional<Glob> service, Optional<Glob> path, Optional<Boolean> error, int oneIn) {
        boolean matches(@Nullable String requestService, @Nullable String requestPath, boolean failed) {
            return matches(service, requestService)
                    && matches(path, requestPath)
                    && error.map(wanted -> wanted == failed).orElse(true);
        }

        private static boolean matches(Optional<Glob> glob, @Nullable String text) {
            return glob.isEmpty() || (text != null && glob.get().matches(text));
        }
    }

    private Sampling(List<Rule> rules, int otherwiseOneIn) {
        this.rules = rules;
        this.otherwiseOneIn = otherwiseOneIn;
    }

    /** Reads the settings' section {@code sampling}; an absent one keeps everything. Problems are the section's. */
    public static Sampling of(Settings section) {
        List<Rule> rules = new ArrayList<>();
        section.section("rules")
                .sections()
                .values()
                .forEach(rule -> rules.add(new Rule(
                        glob(rule, "service"),
                        glob(rule, "path"),
                        rule.has("error") ? Optional.of(rule.flag("error", true)) : Optional.empty(),
                        (int) rule.integer("keep-one-in", 1, MAX_ONE_IN))));
        return new Sampling(rules, (int) section.integer("keep-one-in", 1, MAX_ONE_IN, 1));
    }

    /**
     * How many requests this one stands for, 0 when it is left out.
     *
     * @param service as the request's resource names it
     * @param path of the request, without query
     */
    public int weight(@Nullable String service, @Nullable String path, boolean failed, String traceId) {
        int oneIn = otherwiseOneIn;
        for (Rule rule : rules) {
            if (rule.matches(service, path, failed)) {
                oneIn = rule.oneIn();
                break;
            }
        }
        return Long.remainderUnsigned(hash(traceId), oneIn) == 0 ? oneIn : 0;
    }

    private static Optional<Glob> glob(Settings rule, String key) {
        String text = rule.text(key, "");
        return text.isEmpty() ? Optional.empty() : Optional.of(new Glob(text));
    }

    /** FNV-1a with MurmurHash3's final mix: some tracers fill only half of their ids with random bits. */
    private static long hash(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
