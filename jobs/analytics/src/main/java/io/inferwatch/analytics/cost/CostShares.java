package io.inferwatch.analytics.cost;

import java.util.Map;
import java.util.TreeMap;

/**
 * Whose cost it is, where models, versions or tenants share devices: time of prefill goes by computed prompt tokens, all other time in which devices worked by
 * generated tokens, and idle time as the rest does. The shares add up to the whole. Where nobody had a token the shares are equal.
 */
public final class CostShares {
    private CostShares() {}

    /** Tokens of one of those that share. */
    public record Tokens(long prefilled, long generated) {}

    /** The share of each in the dollars of a window, by name. */
    public static Map<String, Double> of(DeviceWork work, Map<String, Tokens> tokens) {
        double prefilled = tokens.values().stream().mapToLong(Tokens::prefilled).sum();
        double generated = tokens.values().stream().mapToLong(Tokens::generated).sum();
        double prefill = prefilled == 0 ? 0 : work.prefillSeconds();
        double rest =
                generated == 0 ? 0 : work.generatingSeconds() + work.kvSyncSeconds() + work.communicationSeconds();
        double worked = prefill + rest;
        Map<String, Double> shares = new TreeMap<>();
        tokens.forEach((name, of) -> shares.put(
                name,
                worked == 0
                        ? 1.0 / tokens.size()
                        : (prefill * part(of.prefilled(), prefilled) + rest * part(of.generated(), generated))
                                / worked));
        return shares;
    }

    private static double part(long tokens, double of) {
        return of == 0 ? 0 : tokens / of;
    }
}
