package io.inferwatch.simulation.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.simulation.serving.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is to be switched, as the interface takes it: {@code {"slow-node": 3, "cold-cache": true, "error-burst": false}}, a severity, {@code
 * true} for the usual one, {@code false} or {@code null} for off.
 */
record FaultSwitch(Map<Fault, Double> on, List<Fault> off) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Nothing to switch, when all that are on shall be asked. */
    static final FaultSwitch NOTHING = new FaultSwitch(Map.of(), List.of());

    static FaultSwitch parse(String body) throws BadRequestException {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw BadRequestException.because("body: must be JSON, found " + e.getOriginalMessage());
        }
        if (!root.isObject()) {
            throw BadRequestException.because("body: must be an object of faults and severities, found " + root);
        }
        Map<Fault, Double> on = new EnumMap<>(Fault.class);
        List<Fault> off = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : root.properties()) {
            Fault fault = fault(field.getKey());
            JsonNode value = field.getValue();
            if (value.isNull() || (value.isBoolean() && !value.asBoolean())) {
                off.add(fault);
            } else {
                on.put(fault, severity(fault, value));
            }
        }
        return new FaultSwitch(on, off);
    }

    static ObjectNode json(Map<Fault, Double> faults) {
        ObjectNode body = JSON.createObjectNode();
        faults.forEach((fault, severity) -> body.put(fault.text(), severity));
        return body;
    }

    private static Fault fault(String text) throws BadRequestException {
        Optional<Fault> fault = Fault.of(text);
        if (fault.isEmpty()) {
            throw BadRequestException.because("fault: must be one of "
                    + Arrays.stream(Fault.values()).map(Fault::text).collect(Collectors.joining(", "))
                    + ", found " + text);
        }
        return fault.get();
    }

    private static double severity(Fault fault, JsonNode value) throws BadRequestException {
        if (value.isBoolean()) {
            return fault.usualSeverity();
        }
        if (!value.isNumber()) {
            throw BadRequestException.because(fault.text() + ": must be a number, true, false or null, found " + value);
        }
        try {
            return fault.check(value.asDouble());
        } catch (IllegalArgumentException e) {
            throw BadRequestException.because(String.valueOf(e.getMessage()));
        }
    }
}
