package io.inferwatch.probes.replay;

import io.inferwatch.schemas.RequestEvent;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Places requests of files that do not say where they ran: in a made-up fleet of 8 replicas on 4 nodes in 2 regions and 2 pools, with 2
 * versions and 12 tenants.
 *
 * <p>The rule never changes: {@code hash(what, key)} is FNV-1a (64 bits) over the UTF-8 bytes of {@code what:key}, followed by MurmurHash3's
 * final mix; the key is the session, or {@code row:n} where there is none. The replica is {@code hash("replica", key) mod 8}, unsigned, and
 * for replica r the node is r / 2, the region r / 4, the pool (r / 2) mod 2 and the version 1 + r mod 2. So a session stays on its replica,
 * and each node runs both versions. The tenant is number {@code hash("tenant", key) mod 12}, shown as {@code hash("tenant-id", number)}.
 * What a file does say is kept; where it names the replica only, r is {@code hash("replica", name) mod 8}.
 */
final class Placement {
    static final int REPLICAS = 8;
    static final int TENANTS = 12;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private Placement() {}

    /** Fills in what the event lacks; true when that was anything. */
    static boolean complete(RequestEvent event, String key) {
        boolean lacking = false;
        int slot;
        if (event.getReplica() == null) {
            slot = slot("replica", key, REPLICAS);
            event.setReplica("replica-" + slot);
            lacking = true;
        } else {
            slot = slot("replica", event.getReplica(), REPLICAS);
        }
        if (event.getNode() == null) {
            event.setNode("node-" + slot / 2);
            lacking = true;
        }
        if (event.getRegion() == null) {
            event.setRegion("region-" + slot / 4);
            lacking = true;
        }
        if (event.getPool() == null) {
            event.setPool("pool-" + slot / 2 % 2);
            lacking = true;
        }
        if (event.getVersion() == null) {
            event.setVersion("v" + (1 + slot % 2));
            lacking = true;
        }
        if (event.getTenant() == null) {
            event.setTenant(digits("tenant-id", Integer.toString(slot("tenant", key, TENANTS))));
            lacking = true;
        }
        return lacking;
    }

    /** A number from 0 to n - 1. */
    static int slot(String what, String key, int n) {
        return (int) Long.remainderUnsigned(hash(what, key), n);
    }

    /** A share from 0 to 1, 1 excluded. */
    static double share(String what, String key) {
        return (hash(what, key) >>> 11) * 0x1p-53;
    }

    /** The hash as 16 hexadecimal digits. */
    static String digits(String what, String key) {
        return HexFormat.of().toHexDigits(hash(what, key));
    }

    static long hash(String what, String key) {
        long hash = FNV_OFFSET;
        for (byte b : (what + ":" + key).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
