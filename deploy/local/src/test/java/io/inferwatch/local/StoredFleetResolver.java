package io.inferwatch.local;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.TestServers;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one {@link StoredFleet} that they all look at: started for the first, closed after the last. Without InfluxDB they are skipped. */
final class StoredFleetResolver implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(StoredFleetResolver.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == StoredFleet.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(StoredFleet.class, unused -> StoredFleet.start(influx.get()), StoredFleet.class);
    }
}
