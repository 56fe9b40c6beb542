package io.inferwatch.probes.identity;

import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Says of requests on a path, or with headers of certain values, what their own headers leave open.
 *
 * @param path what the path must be like, query cut off
 * @param headers what headers must be like
 * @param values what is said, as a header would say it
 */
record IdentityRule(Optional<Glob> path, Map<String, Glob> headers, Map<IdentityField, String> values) {
    private static final List<IdentityField> SETTABLE = List.of(
            IdentityField.TENANT,
            IdentityField.TEMPLATE,
            IdentityField.WORKLOAD_CLASS,
            IdentityField.PROMPT_STRUCTURE,
            IdentityField.PRIORITY);

    static IdentityRule of(Settings section) {
        String path = section.text("path", "");
        Map<String, Glob> headers = new LinkedHashMap<>();
        section.section("headers")
                .texts()
                .forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), new Glob(value)));
        if (path.isEmpty() && headers.isEmpty()) {
            section.problem("path", "set, or headers", "neither");
        }
        Map<IdentityField, String> values = new LinkedHashMap<>();
        Settings set = section.section("set");
        for (IdentityField field : SETTABLE) {
            if (field == IdentityField.PRIORITY) {
                if (set.has(field.key())) {
                    values.put(field, Long.toString(set.integer(field.key(), Integer.MIN_VALUE, Integer.MAX_VALUE)));
                }
                continue;
            }
            String value = set.text(field.key(), "");
            if (!value.isEmpty()) {
                values.put(field, value);
            }
        }
        if (values.isEmpty()) {
            List<String> keys = new ArrayList<>();
            SETTABLE.forEach(field -> keys.add(field.key()));
            section.problem("set", "a mapping with any of " + String.join(", ", keys), "none");
        }
        return new IdentityRule(path.isEmpty() ? Optional.empty() : Optional.of(new Glob(path)), headers, values);
    }

    boolean matches(HeaderLookup request, String requestPath) {
        if (path.isPresent() && !path.get().matches(requestPath)) {
            return false;
        }
        for (Map.Entry<String, Glob> header : headers.entrySet()) {
            String value = request.value(header.getKey());
            if (value == null || !header.getValue().matches(value)) {
                return false;
            }
        }
        return true;
    }
}
