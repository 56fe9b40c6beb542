package io.inferwatch.probes.pods;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads {@code ListPodResourcesResponse} of the kubelet's API v1, by its field numbers: pods with containers with devices. Devices are those of resources of
 * NVIDIA, by UUID: plug-ins that name them otherwise ({@code nvidia0}) say nothing here. A device that several pods share is nobody's.
 */
final class PodDevices {
    private static final int PODS = 1;
    private static final int POD_NAME = 1;
    private static final int POD_NAMESPACE = 2;
    private static final int POD_CONTAINERS = 3;
    private static final int CONTAINER_DEVICES = 2;
    private static final int DEVICES_RESOURCE = 1;
    private static final int DEVICES_IDS = 2;

    private final Map<String, Pod> holders = new HashMap<>();
    private final Set<String> shared = new HashSet<>();

    private PodDevices() {}

    /**
     * Who holds which device, by its UUID.
     *
     * @throws IOException when these bytes are no such message
     */
    static Map<String, Pod> of(byte[] response) throws IOException {
        PodDevices devices = new PodDevices();
        CodedInputStream in = CodedInputStream.newInstance(response);
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == message(PODS)) {
                devices.pod(in.readBytes().newCodedInput());
            } else {
                in.skipField(tag);
            }
        }
        devices.holders.keySet().removeAll(devices.shared);
        return Map.copyOf(devices.holders);
    }

    private static int message(int field) {
        return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    }

    private void pod(CodedInputStream in) throws IOException {
        String name = "";
        String namespace = "";
        Set<String> ids = new HashSet<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == message(POD_NAME)) {
                name = in.readString();
            } else if (tag == message(POD_NAMESPACE)) {
                namespace = in.readString();
            } else if (tag == message(POD_CONTAINERS)) {
                container(in.readBytes().newCodedInput(), ids);
            } else {
                in.skipField(tag);
            }
        }
        Pod pod = new Pod(namespace, name);
        for (String id : ids) {
            if (holders.put(id, pod) != null) {
                shared.add(id);
            }
        }
    }

    private static void container(CodedInputStream in, Set<String> ids) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == message(CONTAINER_DEVICES)) {
                devices(in.readBytes(), ids);
            } else {
                in.skipField(tag);
            }
        }
    }

    private static void devices(ByteString devices, Set<String> ids) throws IOException {
        String resource = "";
        Set<String> named = new HashSet<>();
        CodedInputStream in = devices.newCodedInput();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == message(DEVICES_RESOURCE)) {
                resource = in.readString();
            } else if (tag == message(DEVICES_IDS)) {
                named.add(uuid(in.readString()));
            } else {
                in.skipField(tag);
            }
        }
        if (resource.startsWith("nvidia.com/")) {
            named.stream()
                    .filter(id -> id.startsWith("GPU-") || id.startsWith("MIG-"))
                    .forEach(ids::add);
        }
    }

    /** Of a device that is shared by time slices, every slice has a number behind the UUID. */
    private static String uuid(String id) {
        int slice = id.indexOf("::");
        return slice < 0 ? id : id.substring(0, slice);
    }
}
