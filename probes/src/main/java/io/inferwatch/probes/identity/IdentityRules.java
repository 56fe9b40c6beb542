package io.inferwatch.probes.identity;

import io.inferwatch.probes.identity.RequestIdentity.Caller;
import io.inferwatch.probes.identity.RequestIdentity.Limits;
import io.inferwatch.probes.identity.RequestIdentity.Work;
import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads who asked and what for out of a request's headers, and stage times out of its and its answer's. Where a header says nothing, its
 * baggage does; where that says nothing, the first rule of the settings that matches and says something.
 *
 * <p>Whatever headers hold, no call throws: a value that is not well formed is counted and left null. Names that are kept as they stand
 * (template, class, run, request id) are short words without blanks, so that no text of a prompt can slip through. Thread safe; holds
 * nothing of a request.
 */
public final class IdentityRules {
    private static final int MAX_SECRET_LENGTH = 4096;
    private static final Pattern WORD = Pattern.compile("[\\w.:/@+-]{1,64}");
    private static final Pattern STATE = Pattern.compile("kept|stateless");
    private static final Pattern ID = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final Pattern SCHEME = Pattern.compile("(?i)(bearer|basic|token|key) +");
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d{1,10}");
    private static final String GUARDRAIL = "guardrail";

    private final SaltedHash hash;
    private final Map<IdentityField, List<String>> headerNames;
    private final Map<IdentityField, List<String>> baggageNames;
    private final List<IdentityRule> rules;
    private final MalformedHeaders malformed = new MalformedHeaders();

    private IdentityRules(
            SaltedHash hash,
            Map<IdentityField, List<String>> headerNames,
            Map<IdentityField, List<String>> baggageNames,
            List<IdentityRule> rules) {
        this.hash = hash;
        this.headerNames = headerNames;
        this.baggageNames = baggageNames;
        this.rules = rules;
    }

    /** The rules of a settings file's section {@code identity}; makes the salt's file when it is missing. Problems are the section's. */
    public static IdentityRules of(Settings section) {
        Settings headers = section.section("headers");
        Settings baggage = section.section("baggage");
        Map<IdentityField, List<String>> headerNames = new EnumMap<>(IdentityField.class);
        Map<IdentityField, List<String>> baggageNames = new EnumMap<>(IdentityField.class);
        for (IdentityField field : IdentityField.values()) {
            headerNames.put(field, headers.list(field.key(), name -> name.toLowerCase(Locale.ROOT), field.headers()));
            if (!field.baggage().isEmpty()) {
                baggageNames.put(field, baggage.list(field.key(), Function.identity(), field.baggage()));
            }
        }
        List<IdentityRule> rules = new ArrayList<>();
        section.section("rules").sections().values().forEach(rule -> rules.add(IdentityRule.of(rule)));
        return new IdentityRules(salt(section), headerNames, baggageNames, rules);
    }

    /** What a request says of itself. */
    public RequestIdentity identify(HeaderLookup request, String path) {
        return identify(request, name -> null, path);
    }

    /** The same with attributes, called as baggage entries are, for what the baggage leaves open. */
    public RequestIdentity identify(HeaderLookup request, HeaderLookup attributes, String path) {
        Reading reading = new Reading(request, attributes, pathOnly(path));
        String traceparent = reading.header(IdentityField.TRACEPARENT);
        return new RequestIdentity(
                new Caller(
                        reading.hashed(IdentityField.TENANT, SaltedHash.Kind.TENANT),
                        reading.hashed(IdentityField.API_KEY, SaltedHash.Kind.API_KEY),
                        reading.hashed(IdentityField.SESSION, SaltedHash.Kind.SESSION)),
                new Work(
                        reading.whole(IdentityField.TURN, 1),
                        reading.whole(IdentityField.PRIORITY, Integer.MIN_VALUE),
                        reading.matching(IdentityField.TEMPLATE, WORD),
                        reading.matching(IdentityField.WORKLOAD_CLASS, WORD),
                        reading.matching(IdentityField.PROMPT_STRUCTURE, WORD),
                        reading.matching(IdentityField.CONVERSATION_STATE, STATE),
                        reading.matching(IdentityField.RUN, WORD)),
                new Limits(
                        reading.limit(IdentityField.SLO_TTFT, DecimalMillis::micros),
                        reading.limit(IdentityField.SLO_TPOT, DecimalMillis::nanos),
                        reading.limit(IdentityField.SLO_E2E, DecimalMillis::micros)),
                traceparent == null
                        ? null
                        : reading.wellFormed(IdentityField.TRACEPARENT, TraceParent.parse(traceparent)),
                reading.matching(IdentityField.REQUEST_ID, ID),
                reading.stageTimes());
    }

    /** What an answer's headers or trailers tell of stages and guardrails. */
    public StageTimes stageTimes(HeaderLookup answer) {
        return new Reading(answer, name -> null, "").stageTimes();
    }

    /** What could not be used so far. */
    public MalformedHeaders malformed() {
        return malformed;
    }

    private static SaltedHash salt(Settings section) {
        String file = section.text("salt-file", SaltedHash.defaultFile().toString());
        String mustBe = "a file with a salt of 16 to 4096 bytes, or a place where one can be made";
        try {
            return SaltedHash.readOrCreate(Path.of(file));
        } catch (NoSuchFileException e) {
            section.problem("salt-file", mustBe, file);
        } catch (IOException | IllegalArgumentException e) {
            section.problem("salt-file", mustBe, String.valueOf(e.getMessage()));
        }
        return SaltedHash.unsalted();
    }

    private static String pathOnly(String path) {
        int query = path.indexOf('?');
        return query < 0 ? path : path.substring(0, query);
    }

    /** One request or answer while it is read. */
    private final class Reading {
        private final HeaderLookup headers;
        private final HeaderLookup attributes;
        private final String path;
        private final Baggage baggage;

        Reading(HeaderLookup headers, HeaderLookup attributes, String path) {
            this.headers = headers;
            this.attributes = attributes;
            this.path = path;
            String text = header(IdentityField.BAGGAGE);
            Baggage parsed = text == null ? null : wellFormed(IdentityField.BAGGAGE, Baggage.parse(text));
            this.baggage = parsed == null ? Baggage.none() : parsed;
        }

        @Nullable
        String header(IdentityField field) {
            for (String name : headerNames.getOrDefault(field, List.of())) {
                String value = headers.value(name);
                if (value != null && !value.isBlank()) {
                    return value.trim();
                }
            }
            return null;
        }

        @Nullable
        String hashed(IdentityField field, SaltedHash.Kind kind) {
            String text = said(field);
            if (text == null) {
                return null;
            }
            String bare = kind == SaltedHash.Kind.API_KEY ? SCHEME.matcher(text).replaceFirst("") : text;
            return wellFormed(
                    field, bare.isEmpty() || bare.length() > MAX_SECRET_LENGTH ? null : hash.digits(kind, bare));
        }

        @Nullable
        String matching(IdentityField field, Pattern pattern) {
            String text = said(field);
            return text == null ? null : wellFormed(field, pattern.matcher(text).matches() ? text : null);
        }

        @Nullable
        Integer whole(IdentityField field, int min) {
            String text = said(field);
            if (text == null) {
                return null;
            }
            long value = WHOLE.matcher(text).matches() ? Long.parseLong(text) : Long.MAX_VALUE;
            return wellFormed(field, value < min || value > Integer.MAX_VALUE ? null : Integer.valueOf((int) value));
        }

        @Nullable
        Long limit(IdentityField field, Function<String, OptionalLong> unit) {
            Long value = time(field, unit);
            // A limit of nothing could never be kept; it is a mistake, not a wish.
            return value != null && value == 0 ? wellFormed(field, null) : value;
        }

        StageTimes stageTimes() {
            Map<Stage, Long> micros = new EnumMap<>(Stage.class);
            List<Guardrail> guardrails = new ArrayList<>();
            for (HeaderItem item : items(IdentityField.SERVER_TIMING)) {
                serverTiming(item, micros, guardrails);
            }
            for (IdentityField field : IdentityField.values()) {
                field.stage().ifPresent(stage -> {
                    Long time = time(field, DecimalMillis::micros);
                    if (time != null) {
                        micros.put(stage, time);
                    }
                });
            }
            for (HeaderItem item : items(IdentityField.GUARDRAILS)) {
                Guardrail guardrail = guardrail(item);
                if (wellFormed(IdentityField.GUARDRAILS, guardrail) != null) {
                    guardrails.add(guardrail);
                }
            }
            Long guardrailTime = time(IdentityField.GUARDRAIL_TIME, DecimalMillis::micros);
            if (guardrailTime != null) {
                guardrails.add(new Guardrail(GUARDRAIL, null, guardrailTime, null));
            }
            return new StageTimes(micros, guardrails);
        }

        /** The value itself; null is counted. */
        <T> @Nullable T wellFormed(IdentityField field, @Nullable T value) {
            if (value == null) {
                malformed.count(field);
            }
            return value;
        }

        private @Nullable String said(IdentityField field) {
            String text = header(field);
            if (text != null) {
                return text;
            }
            for (String name : baggageNames.getOrDefault(field, List.of())) {
                String carried = baggage.entries().get(name);
                String value = carried == null ? attributes.value(name) : carried;
                if (value != null && !value.isBlank()) {
                    return value.trim();
                }
            }
            for (IdentityRule rule : rules) {
                String value = rule.values().get(field);
                if (value != null && rule.matches(headers, path)) {
                    return value;
                }
            }
            return null;
        }

        private @Nullable Long time(IdentityField field, Function<String, OptionalLong> unit) {
            String text = header(field);
            if (text == null) {
                return null;
            }
            OptionalLong value = unit.apply(text);
            return wellFormed(field, value.isEmpty() ? null : Long.valueOf(value.getAsLong()));
        }

        private List<HeaderItem> items(IdentityField field) {
            String text = header(field);
            List<HeaderItem> items = text == null ? List.of() : wellFormed(field, HeaderItem.parse(text));
            return items == null ? List.of() : items;
        }

        /** Items that name no stage of ours are others' business; one that does must have a duration. */
        private void serverTiming(HeaderItem item, Map<Stage, Long> micros, List<Guardrail> guardrails) {
            String name = item.name().toLowerCase(Locale.ROOT);
            for (Stage stage : Stage.values()) {
                if (stage.key().equals(name)) {
                    Long time = duration(IdentityField.SERVER_TIMING, item);
                    if (time != null) {
                        micros.put(stage, time);
                    }
                }
            }
            if (name.equals(GUARDRAIL)) {
                guardrails.add(new Guardrail(GUARDRAIL, null, duration(IdentityField.SERVER_TIMING, item), null));
            }
        }

        private @Nullable Guardrail guardrail(HeaderItem item) {
            String phase = item.parameters().get("phase");
            String verdict = item.parameters().get("verdict");
            if (!WORD.matcher(item.name()).matches()
                    || (phase != null && !WORD.matcher(phase).matches())
                    || (verdict != null && !WORD.matcher(verdict).matches())) {
                return null;
            }
            Long time = item.parameters().containsKey("dur") ? duration(IdentityField.GUARDRAILS, item) : null;
            return new Guardrail(item.name(), phase, time, verdict);
        }

        private @Nullable Long duration(IdentityField field, HeaderItem item) {
            OptionalLong time = DecimalMillis.micros(item.parameters().getOrDefault("dur", ""));
            return wellFormed(field, time.isEmpty() ? null : Long.valueOf(time.getAsLong()));
        }
    }
}
