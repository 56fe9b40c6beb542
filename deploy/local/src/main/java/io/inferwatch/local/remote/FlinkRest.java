package io.inferwatch.local.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.jobs.JobMain;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Flink session cluster, by the published REST interface of its JobManager. Calls wait for what they ask for, a savepoint's end included. Not
 * reached is {@link UnreachableFlinkException}, refused {@link FlinkRefusalException}.
 */
final class FlinkRest {
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    /** The program's own start-up is in it. */
    private static final Duration SUBMISSION_TIMEOUT = Duration.ofMinutes(2);

    private static final long PAUSE_MILLIS = 200;
    private static final Set<String> ENDED = Set.of("FINISHED", "CANCELED", "FAILED");
    private static final String CAUSE = "Caused by: ";
    private static final Pattern PROGRAM_ERROR =
            Pattern.compile("The main method caused an error: (.*?)(?:\\R\\s*at |\\R?\\z)", Pattern.DOTALL);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A job on the cluster that has not ended. */
    record Job(String id, String name, String state) {}

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CALL_TIMEOUT)
            .build();
    private final String url;

    private FlinkRest(String url) {
        this.url = url;
    }

    /** A cluster that has answered. */
    static FlinkRest connect(String url) throws InterruptedException {
        String trimmed = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        if (!trimmed.matches("https?://[^/\\s]+.*")) {
            throw new UnreachableFlinkException(
                    "--flink: must be the URL of Flink's REST interface, found '" + url + "'");
        }
        FlinkRest flink = new FlinkRest(trimmed);
        if (!flink.get("/config").has("flink-version")) {
            throw new UnreachableFlinkException(
                    "--flink: must be Flink's REST interface, found something else at " + url);
        }
        return flink;
    }

    /** Where it is. */
    String url() {
        return url;
    }

    /** The job of that name that has not ended; refused when there are several. */
    Optional<Job> job(String name) throws InterruptedException {
        Optional<Job> found = Optional.empty();
        for (JsonNode node : get("/jobs/overview").path("jobs")) {
            String state = node.path("state").asText();
            if (node.path("name").asText().equals(name) && !ENDED.contains(state)) {
                if (found.isPresent()) {
                    throw new FlinkRefusalException("job " + name + ": must be there once, found several at " + url);
                }
                found = Optional.of(new Job(node.path("jid").asText(), name, state));
            }
        }
        return found;
    }

    /** Takes a jar to the cluster and returns its id there. */
    String upload(Path jar) throws InterruptedException {
        String boundary = UUID.randomUUID().toString();
        String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
                + jar.getFileName() + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n";
        BodyPublisher file;
        try {
            file = BodyPublishers.ofFile(jar);
        } catch (FileNotFoundException e) {
            throw new UnreachableFlinkException("--jar: must be a readable file, found " + jar);
        }
        HttpRequest.Builder request = request("/jars/upload", SUBMISSION_TIMEOUT)
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(BodyPublishers.concat(
                        BodyPublishers.ofString(head), file, BodyPublishers.ofString("\r\n--" + boundary + "--\r\n")));
        String filename = send(request).path("filename").asText();
        return filename.substring(filename.lastIndexOf('/') + 1);
    }

    /** Forgets an uploaded jar; jobs that were made of it do not need it. */
    void delete(String jar) throws InterruptedException {
        send(request("/jars/" + jar, CALL_TIMEOUT).DELETE());
    }

    /** Starts the program of an uploaded jar, from a savepoint where one is given, all of whose state it must take. Returns the job's id. */
    String run(String jar, List<String> arguments, OptionalInt parallelism, Optional<String> savepoint)
            throws InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("entryClass", JobMain.class.getName());
        arguments.forEach(body.putArray("programArgsList")::add);
        parallelism.ifPresent(number -> body.put("parallelism", number));
        savepoint.ifPresent(path -> body.put("savepointPath", path)
                .put("allowNonRestoredState", false)
                .put("claimMode", "NO_CLAIM"));
        return post("/jars/" + jar + "/run", body, SUBMISSION_TIMEOUT)
                .path("jobid")
                .asText();
    }

    /** Takes a savepoint into the directory, by default the cluster's, and returns where it is. */
    String savepoint(Job job, Optional<String> directory, Duration patience) throws InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("cancel-job", false).put("formatType", "CANONICAL");
        directory.ifPresent(path -> body.put("target-directory", path));
        return awaitSavepoint(job, post("/jobs/" + job.id + "/savepoints", body, CALL_TIMEOUT), patience);
    }

    /** The same, after which the job has ended; when it fails, the job goes on. */
    String stop(Job job, Optional<String> directory, Duration patience) throws InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("drain", false).put("formatType", "CANONICAL");
        directory.ifPresent(path -> body.put("targetDirectory", path));
        return awaitSavepoint(job, post("/jobs/" + job.id + "/stop", body, CALL_TIMEOUT), patience);
    }

    /** Returns once every task of a job runs, or has finished; refused with the last failure when the job ends or the patience does before that. */
    void awaitRunning(String job, Duration patience) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (true) {
            JsonNode answer = get("/jobs/" + job);
            String state = answer.path("state").asText();
            if (state.equals("FINISHED")) {
                // A job with an end may be there before it is seen running.
                return;
            }
            if (ENDED.contains(state)) {
                throw new FlinkRefusalException("the job has ended as " + state + ": " + lastFailure(job));
            }
            if (state.equals("RUNNING") && allRun(answer.path("vertices"))) {
                return;
            }
            pause(deadlineNanos, () -> "the job must run within " + patience.toSeconds() + " s, found it " + state);
        }
    }

    private static boolean allRun(JsonNode vertices) {
        for (JsonNode vertex : vertices) {
            if (!vertex.path("status").asText().matches("RUNNING|FINISHED")) {
                return false;
            }
        }
        return !vertices.isEmpty();
    }

    private String awaitSavepoint(Job job, JsonNode trigger, Duration patience) throws InterruptedException {
        String path =
                "/jobs/" + job.id + "/savepoints/" + trigger.path("request-id").asText();
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (true) {
            JsonNode answer = get(path);
            JsonNode operation = answer.path("operation");
            if (operation.has("location")) {
                return operation.path("location").asText();
            }
            if (operation.has("failure-cause")) {
                throw new FlinkRefusalException("no savepoint of job " + job.name + ": "
                        + reason(operation
                                .path("failure-cause")
                                .path("stack-trace")
                                .asText()));
            }
            pause(deadlineNanos, () -> "no savepoint of job " + job.name + " within " + patience.toSeconds() + " s");
        }
    }

    private static void pause(long deadlineNanos, Supplier<String> tooLate) throws InterruptedException {
        if (System.nanoTime() > deadlineNanos) {
            throw new FlinkRefusalException(tooLate.get());
        }
        Thread.sleep(PAUSE_MILLIS);
    }

    private String lastFailure(String job) throws InterruptedException {
        String trace = get("/jobs/" + job + "/exceptions")
                .path("exceptionHistory")
                .path("entries")
                .path(0)
                .path("stacktrace")
                .asText();
        return trace.isEmpty() ? "no reason known" : reason(trace);
    }

    /** What a stack trace says in one line: the program's own words, else the innermost cause. */
    static String reason(String trace) {
        Matcher program = PROGRAM_ERROR.matcher(trace);
        if (program.find()) {
            return program.group(1).strip();
        }
        String innermost = trace.lines().findFirst().orElse("no reason given").strip();
        for (String line : trace.lines().toList()) {
            if (line.strip().startsWith(CAUSE)) {
                innermost = line.strip().substring(CAUSE.length());
            }
        }
        return innermost;
    }

    private JsonNode get(String path) throws InterruptedException {
        return send(request(path, CALL_TIMEOUT).GET());
    }

    private JsonNode post(String path, ObjectNode body, Duration timeout) throws InterruptedException {
        return send(request(path, timeout)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString())));
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(timeout);
    }

    private JsonNode send(HttpRequest.Builder request) throws InterruptedException {
        HttpResponse<String> response;
        try {
            response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException e) {
            throw new UnreachableFlinkException("--flink: must be reachable, found " + url + ": connection refused");
        } catch (IOException e) {
            throw new UnreachableFlinkException("--flink: must be reachable, found " + url + ": " + e);
        }
        JsonNode answer;
        try {
            answer = JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw new UnreachableFlinkException(
                    "--flink: must be Flink's REST interface, found something else at " + url);
        }
        if (response.statusCode() / 100 != 2) {
            // The last of Flink's texts holds the causes.
            JsonNode errors = answer.path("errors");
            throw new FlinkRefusalException(
                    reason(errors.path(errors.size() - 1).asText()));
        }
        return answer;
    }
}
