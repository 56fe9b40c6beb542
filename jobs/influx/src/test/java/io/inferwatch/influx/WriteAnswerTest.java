package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteAnswerTest {
    @Test
    void noContentIsWritten() {
        assertThat(WriteAnswer.classify(204, "")).isEqualTo(new WriteAnswer.Written());
    }

    @Test
    void aPageOfAProxyIsNotTakenForStored() {
        assertThat(WriteAnswer.classify(200, "<html>Please log in</html>"))
                .isEqualTo(new WriteAnswer.Retryable("HTTP 200: <html>Please log in</html>"));
    }

    @Test
    void aPartialWriteTellsHowManyPointsAndWhichField() {
        String body = "{\"error\":\"partial write: field type conflict: input field \\\"temp_cpu\\\" on measurement"
                + " \\\"usg\\\" is type integer, already exists as type float dropped=1\"}";

        assertThat(WriteAnswer.classify(400, body))
                .isEqualTo(new WriteAnswer.Partial(
                        RefusalReason.FIELD_TYPE_CONFLICT,
                        1,
                        Optional.of("temp_cpu"),
                        "HTTP 400: partial write: field type conflict: input field \"temp_cpu\" on measurement \"usg\""
                                + " is type integer, already exists as type float dropped=1"));
    }

    @Test
    void theSameFromVersionTwo() {
        String body =
                "{\"code\":\"unprocessable entity\",\"message\":\"failure writing points to database: partial write:"
                        + " field type conflict: input field \\\"v\\\" on measurement \\\"m\\\" is type float,"
                        + " already exists as type integer dropped=2\"}";

        assertThat(WriteAnswer.classify(422, body)).isInstanceOfSatisfying(WriteAnswer.Partial.class, partial -> {
            assertThat(partial.dropped()).isEqualTo(2);
            assertThat(partial.field()).hasValue("v");
        });
    }

    @Test
    void pointsBeyondRetentionAreRefused() {
        assertThat(WriteAnswer.classify(400, "{\"error\":\"partial write: points beyond retention policy dropped=3\"}"))
                .isInstanceOfSatisfying(WriteAnswer.Partial.class, partial -> {
                    assertThat(partial.reason()).isEqualTo(RefusalReason.BEYOND_RETENTION);
                    assertThat(partial.dropped()).isEqualTo(3);
                });
    }

    @Test
    void aLineThatCannotBeReadIsRejected() {
        assertThat(WriteAnswer.classify(400, "{\"error\":\"unable to parse 'm v=': missing field value\"}"))
                .isEqualTo(new WriteAnswer.Rejected(
                        RefusalReason.UNPARSABLE, "HTTP 400: unable to parse 'm v=': missing field value"));
    }

    @Test
    void tooLargeIsToBeSplit() {
        assertThat(WriteAnswer.classify(413, "{\"error\":\"Request Entity Too Large\"}"))
                .isInstanceOf(WriteAnswer.TooLarge.class);
        assertThat(WriteAnswer.classify(413, "<html>nginx</html>")).isInstanceOf(WriteAnswer.TooLarge.class);
    }

    @Test
    void aTextOfAnIntermediaryKeepsTheRealCause() {
        String text = "upstream connect error or disconnect/reset before headers. reset reason: connection failure";

        assertThat(WriteAnswer.classify(503, text)).isEqualTo(new WriteAnswer.Retryable("HTTP 503: " + text));
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 500, 502, 503, 504})
    void overloadAndOutageMayPass(int status) {
        assertThat(WriteAnswer.classify(status, "{\"error\":\"timeout\"}"))
                .isEqualTo(new WriteAnswer.Retryable("HTTP " + status + ": timeout"));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 422})
    void aVerdictThatIsNotInfluxDbsRefusesNoPoint(int status) {
        assertThat(WriteAnswer.classify(status, "<html><h1>Bad\n Request</h1></html>"))
                .isEqualTo(new WriteAnswer.Retryable("HTTP " + status + ": <html><h1>Bad Request</h1></html>"));
    }

    @Test
    void refusedCredentialsAndMissingDatabasesSayWhatToDo() {
        assertThat(WriteAnswer.classify(401, "{\"error\":\"authorization failed\"}"))
                .isEqualTo(new WriteAnswer.Fatal("HTTP 401: authorization failed; user, password or token are not"
                        + " accepted: check the credentials"));
        assertThat(WriteAnswer.classify(403, "{\"error\":\"\\\"u\\\" user is not authorized to write\"}"))
                .isEqualTo(new WriteAnswer.Fatal("HTTP 403: \"u\" user is not authorized to write; the user or token"
                        + " may not write: grant it write access"));
        assertThat(WriteAnswer.classify(404, "{\"error\":\"database not found: \\\"x\\\"\"}"))
                .isEqualTo(new WriteAnswer.Fatal(
                        "HTTP 404: database not found: \"x\"; create it with 'inferwatch setup influxdb'"));
    }

    @Test
    void aLongTextIsCut() {
        WriteAnswer answer = WriteAnswer.classify(500, "x".repeat(10_000));

        assertThat(answer).isEqualTo(new WriteAnswer.Retryable("HTTP 500: " + "x".repeat(300) + "..."));
    }
}
