package io.inferwatch.influx;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.influxdb.client.service.InfluxQLQueryService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import retrofit2.Response;

/**
 * Asks InfluxQL queries and gives typed rows, times in epoch microseconds. Answers are read as JSON: of the official client's two
 * readers the one for CSV splits tag values at commas and equals signs, and the one for JSON fails at null and passes over errors.
 * Safe for use by several threads; an answer is held in memory as a whole.
 */
public final class InfluxReader {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final InfluxClient client;

    /** A reader of the client's database. The client stays the caller's to close. */
    public InfluxReader(InfluxClient client) {
        this.client = client;
    }

    /**
     * The series that one statement gives, read from a retention policy.
     *
     * @throws InfluxQueryException when the server refuses the statement, with its text
     * @throws InfluxConfigurationException when the server does not let the connection in
     * @throws InfluxUnavailableException when the server does not answer
     */
    public List<InfluxSeries> query(RetentionPolicy policy, String influxQl) {
        return ask(client.connection().database(), policy.policyName(), influxQl);
    }

    /** The series that one statement gives, of no database. */
    List<InfluxSeries> query(String influxQl) {
        return ask("", null, influxQl);
    }

    private List<InfluxSeries> ask(String database, @Nullable String policy, String influxQl) {
        client.version();
        String place = "InfluxDB at " + client.connection().url();
        int status;
        String body;
        try {
            Response<ResponseBody> response = client.service(InfluxQLQueryService.class)
                    .query(influxQl, database, policy, "u", null, "application/json")
                    .execute();
            status = response.code();
            try (ResponseBody content = response.isSuccessful() ? response.body() : response.errorBody()) {
                body = content == null ? "" : content.string();
            }
        } catch (IOException e) {
            client.forgetVersion();
            throw new InfluxUnavailableException(place + " does not answer: " + e, e);
        }
        String error = WriteAnswer.Classification.serverError(body);
        String shown = WriteAnswer.Classification.shorten(error == null ? body : error);
        if (status == 401 || status == 403) {
            throw new InfluxConfigurationException(
                    place + " does not let " + describe(client.connection().credentials()) + " in: " + shown);
        }
        if (status == 200 && error == null) {
            return read(body, influxQl);
        }
        if (error != null && status < 500) {
            throw new InfluxQueryException(place + " refuses the query: " + shown + ": " + influxQl);
        }
        throw new InfluxUnavailableException(place + " cannot answer now: HTTP " + status + ": " + shown, null);
    }

    static List<InfluxSeries> read(String body, String influxQl) {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw new InfluxUnavailableException(
                    "answer: must be JSON, found " + WriteAnswer.Classification.shorten(body), e);
        }
        List<InfluxSeries> series = new ArrayList<>();
        for (JsonNode result : root.path("results")) {
            if (result.has("error")) {
                throw new InfluxQueryException(
                        "InfluxDB: " + result.get("error").asText() + ": " + influxQl);
            }
            for (JsonNode one : result.path("series")) {
                if (one.path("partial").asBoolean(false)) {
                    throw new InfluxQueryException(
                            "InfluxDB: the answer is cut at the server's max-row-limit: ask for a shorter time: "
                                    + influxQl);
                }
                series.add(readSeries(one));
            }
        }
        return series;
    }

    private static InfluxSeries readSeries(JsonNode series) {
        Map<String, String> tags = new LinkedHashMap<>();
        series.path("tags")
                .properties()
                .forEach(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
        List<String> columns = new ArrayList<>();
        series.path("columns").forEach(column -> columns.add(column.asText()));
        List<InfluxRow> rows = new ArrayList<>();
        for (JsonNode row : series.path("values")) {
            List<JsonNode> values = new ArrayList<>();
            row.forEach(values::add);
            rows.add(new InfluxRow(columns, values));
        }
        return new InfluxSeries(series.path("name").asText(""), tags, rows);
    }

    private static String describe(Credentials credentials) {
        if (credentials instanceof Credentials.UserPassword login) {
            return "user " + login.user();
        }
        return credentials instanceof Credentials.Token token ? "the token in " + token.token() : "anybody";
    }
}
