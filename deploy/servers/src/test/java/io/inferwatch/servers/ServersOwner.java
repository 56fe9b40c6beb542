package io.inferwatch.servers;

import java.io.IOException;

/** A process that starts one of each server, says their process ids, and waits; {@link ParentDeathIT} kills it. */
final class ServersOwner {
    private ServersOwner() {}

    public static void main(String[] args) throws IOException {
        KafkaBroker broker = KafkaBroker.start();
        System.out.println("pid " + broker.pid().orElseThrow());
        Availability<InfluxProgram> influx = TestServers.influx();
        if (influx.isFound()) {
            InfluxServer server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
            System.out.println("pid " + server.pid().orElseThrow());
        }
        System.out.println("ready");
        int read = System.in.read();
        System.exit(read == 'x' ? 0 : 1);
    }
}
