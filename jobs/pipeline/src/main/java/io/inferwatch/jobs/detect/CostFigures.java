package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.cost.CostShares;
import io.inferwatch.analytics.cost.DeviceChoice;
import io.inferwatch.analytics.cost.DeviceCost;
import io.inferwatch.analytics.cost.DevicePrice;
import io.inferwatch.analytics.cost.DeviceWork;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.PriceRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * What a model's window cost: of each version on each kind of device, what the same load would cost on other devices, and each tenant's part. Without a price there is work
 * and no dollars; tenants are told nothing where some of the work has no price.
 */
final class CostFigures {
    static final String OF_DEVICES = "gpu-product";

    private final List<DevicePrice> list;
    private final Collection<PriceRule> prices;
    private final List<FigureResult> results = new ArrayList<>();
    private int unpriced;

    private CostFigures(Collection<PriceRule> prices) {
        this.prices = prices;
        list = prices.stream().map(CostFigures::price).toList();
    }

    /**
     * The figures of parts of one model and window.
     *
     * @param unpriced kinds of devices that have no price
     */
    record Told(List<FigureResult> results, int unpriced) {}

    static Told of(List<CostPart> parts, Collection<PriceRule> prices) {
        CostFigures figures = new CostFigures(prices);
        List<CostPart> devices = parts.stream().filter(CostPart::isOfDevices).toList();
        double dollars = 0;
        for (CostPart part : devices) {
            dollars += figures.addDevices(part).orElse(0);
        }
        List<CostPart> tenants =
                parts.stream().filter(part -> !part.isOfDevices()).toList();
        if (figures.unpriced == 0 && !devices.isEmpty() && !tenants.isEmpty()) {
            figures.addTenants(
                    tenants,
                    devices.stream().reduce(CostPart::plus).orElseThrow().work(),
                    dollars);
        }
        return new Told(List.copyOf(figures.results), figures.unpriced);
    }

    private static DevicePrice price(PriceRule rule) {
        return new DevicePrice(rule.device(), rule.dollarsPerHour(), rule.relativeThroughput());
    }

    private OptionalDouble addDevices(CostPart part) {
        DeviceWork work = part.work();
        Optional<DevicePrice> price = PriceRule.of(part.product(), prices).map(CostFigures::price);
        OptionalDouble throughput = part.isStaged() ? work.effectiveThroughput() : OptionalDouble.empty();
        FigureBuilder point = new FigureBuilder(
                        Measurement.COST, OF_DEVICES, dimensions(part), part.windowMicros(), part.endMicros())
                .count(Field.USEFUL_TOKENS, work.usefulTokens())
                .count(Field.ANSWERED, work.requests())
                .value(Field.DEVICE_SECONDS, work.seconds())
                .value(Field.IDLE_SECONDS, Math.min(work.seconds(), work.idleSeconds()));
        throughput.ifPresent(perSecond -> point.value(Field.EFFECTIVE_THROUGHPUT, perSecond)
                .value(Field.GENERATING_SECONDS, work.generatingSeconds())
                .count(Field.GENERATED_TOKENS, work.generatedTokens()));
        if (price.isEmpty()) {
            unpriced++;
            results.add(point.build());
            return OptionalDouble.empty();
        }
        DeviceCost cost = DeviceCost.of(work, price.get());
        point.value(Field.DOLLARS, cost.dollars()).value(Field.IDLE_DOLLARS, cost.idleDollars());
        cost.allInPerThousandTokens().ifPresent(dollars -> point.value(Field.ALL_IN_PER_THOUSAND, dollars));
        cost.perRequest().ifPresent(dollars -> point.value(Field.DOLLARS_PER_REQUEST, dollars));
        if (throughput.isPresent()) {
            point.value(Field.DOLLARS_PER_THOUSAND, cost.perThousandTokens().orElse(Double.NaN))
                    .value(Field.GENERATING_DOLLARS, price.get().dollars(work.generatingSeconds()))
                    .value(Field.PREEMPTED_DOLLARS, cost.preemptedDollars())
                    .value(Field.FAILED_DOLLARS, cost.failedDollars());
            addChoices(part, price.get(), throughput.getAsDouble());
        }
        results.add(point.build());
        return OptionalDouble.of(cost.dollars());
    }

    private void addChoices(CostPart part, DevicePrice measuredOn, double tokensPerSecond) {
        double load = part.generatedTokens() * 1e6 / part.windowMicros();
        int place = 0;
        for (DeviceChoice choice : DeviceChoice.of(list, measuredOn, tokensPerSecond, load)) {
            place++;
            results.add(new FigureBuilder(
                            Measurement.DEVICE_CHOICE,
                            OF_DEVICES,
                            dimensions(part),
                            part.windowMicros(),
                            part.endMicros())
                    .tag(Field.PRICED_DEVICE, choice.device().name())
                    .count(Field.CHEAPNESS, place)
                    .count(Field.DEVICES, choice.devices())
                    .value(Field.EFFECTIVE_THROUGHPUT, choice.tokensPerSecond())
                    .value(Field.DOLLARS_PER_THOUSAND, choice.perThousandTokens())
                    .value(Field.DOLLARS_PER_HOUR, choice.dollarsPerHour())
                    .build());
        }
    }

    private void addTenants(List<CostPart> tenants, DeviceWork work, double dollars) {
        Map<String, CostShares.Tokens> tokens = new TreeMap<>();
        tenants.forEach(part ->
                tokens.put(part.tenant(), new CostShares.Tokens(part.prefilledTokens(), part.generatedTokens())));
        Map<String, Double> shares = CostShares.of(work, tokens);
        for (CostPart part : tenants) {
            double share = shares.getOrDefault(part.tenant(), 0.0);
            long useful = part.generatedTokens() - part.failedTokens();
            FigureBuilder point = new FigureBuilder(
                            Measurement.COST,
                            CostPart.OF_TENANTS,
                            List.of(new Dimension("tenant", part.tenant()), new Dimension("model", part.model())),
                            part.windowMicros(),
                            part.endMicros())
                    .count(Field.USEFUL_TOKENS, useful)
                    .count(Field.ANSWERED, part.answered())
                    .value(Field.COST_SHARE, share)
                    .value(Field.DOLLARS, share * dollars);
            if (useful > 0) {
                point.value(Field.ALL_IN_PER_THOUSAND, 1_000 * share * dollars / useful);
            }
            if (part.answered() > 0) {
                point.value(Field.DOLLARS_PER_REQUEST, share * dollars / part.answered());
            }
            results.add(point.build());
        }
    }

    private static List<Dimension> dimensions(CostPart part) {
        return List.of(
                new Dimension("model", part.model()),
                new Dimension("version", part.version()),
                new Dimension(Field.PRODUCT, part.product()));
    }
}
