package io.inferwatch.probes.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtlpJsonTest {
    /** OTL-01. */
    @Test
    void timesAreExactAsTextsAndAsNumbers() throws IOException {
        Span asText = span("""
                "startTimeUnixNano":"1713099631002478000","endTimeUnixNano":"1713099631902478001\"""");
        assertThat(asText.getStartTimeUnixNano()).isEqualTo(1_713_099_631_002_478_000L);
        assertThat(asText.getEndTimeUnixNano() - asText.getStartTimeUnixNano()).isEqualTo(900_000_001);

        Span asNumber = span("""
                "startTimeUnixNano":1697982593201336001,"endTimeUnixNano":1697982593201347750""");
        assertThat(asNumber.getStartTimeUnixNano()).isEqualTo(1_697_982_593_201_336_001L);
        assertThat(asNumber.getEndTimeUnixNano() - asNumber.getStartTimeUnixNano())
                .isEqualTo(11_749);
    }

    /** OTL-03. */
    @Test
    void takesIdsInBase64AndSnakeCaseKeys() throws IOException {
        Span span = read("""
                {"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"Z6z8LqVvEI+kU1/Ci6mXBQ==","span_id":"gMEgDJS+EXg=",
                "name":"Simple"}]}]}]}""").getResourceSpans(0).getScopeSpans(0).getSpans(0);
        assertThat(span.getTraceId()).isEqualTo(Spans.hex("67acfc2ea56f108fa4535fc28ba99705"));
        assertThat(span.getSpanId()).isEqualTo(Spans.hex("80c1200c94be1178"));
        assertThat(span.getName()).isEqualTo("Simple");
    }

    @Test
    void readsTheWholeForm() throws IOException {
        ExportTraceServiceRequest post = read("""
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"chat"}}]},
                  "scopeSpans":[{"scope":{"name":"vllm","version":null},"unknownKey":{"a":[1]},"spans":[{
                    "traceId":"0AF7651916CD43DD8448EB211C80319C","spanId":"b7ad6b7169203331","name":"llm_request","kind":2,
                    "attributes":[
                      {"key":"i","value":{"intValue":"9007199254740993"}},
                      {"key":"j","value":{"intValue":-3}},
                      {"key":"d","value":{"doubleValue":0.25}},
                      {"key":"n","value":{"doubleValue":"NaN"}},
                      {"key":"b","value":{"boolValue":true}},
                      {"key":"a","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}},
                      {"key":"x","value":{"bytesValue":"AQI="}}],
                    "status":{"code":"STATUS_CODE_ERROR","message":"no"}}]}]}]}""");
        assertThat(post.getResourceSpans(0)
                        .getResource()
                        .getAttributes(0)
                        .getValue()
                        .getStringValue())
                .isEqualTo("chat");
        Span span = post.getResourceSpans(0).getScopeSpans(0).getSpans(0);
        assertThat(span.getTraceId()).isEqualTo(Spans.hex(Spans.TRACE));
        assertThat(span.getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
        assertThat(span.getAttributes(0).getValue().getIntValue()).isEqualTo(9_007_199_254_740_993L);
        assertThat(span.getAttributes(1).getValue().getIntValue()).isEqualTo(-3);
        assertThat(span.getAttributes(2).getValue().getDoubleValue()).isEqualTo(0.25);
        assertThat(span.getAttributes(3).getValue().getDoubleValue()).isNaN();
        assertThat(span.getAttributes(4).getValue().getBoolValue()).isTrue();
        assertThat(span.getAttributes(5).getValue().getArrayValue().getValues(0).getStringValue())
                .isEqualTo("stop");
        assertThat(span.getAttributes(6).getValue().getBytesValue().toByteArray())
                .containsExactly(1, 2);
        assertThat(span.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|the body: must be an object",
                "{\"resourceSpans\":{}}|resourceSpans: must be an array",
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"startTimeUnixNano\":1.5}]}]}]}"
                        + "|resourceSpans[0].scopeSpans[0].spans[0].startTimeUnixNano: must be a whole number",
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"endTimeUnixNano\":\"99999999999999999999\"}]}]}]}"
                        + "|resourceSpans[0].scopeSpans[0].spans[0].endTimeUnixNano: must be a whole number of 64 bits",
                "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":7}]}]}]}"
                        + "|resourceSpans[0].scopeSpans[0].spans[0].name: must be a text",
                "{\"resourceSpans\":[|no JSON: line 1, column 19"
            })
    void saysWhatIsWrongWhereAndQuotesNoText(String json, String message) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(IOException.class).hasMessage(message);
    }

    @Test
    void noMutationMakesItThrowAnythingElseSeed5() throws IOException {
        byte[] good = """
                {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",
                "startTimeUnixNano":"1","kind":2,"attributes":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":1}]}}}]}]}]}]}""".getBytes(UTF_8);
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            try {
                OtlpJson.merge(bad, ExportTraceServiceRequest.newBuilder());
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(10_000, 19_999);
    }

    private static Span span(String fields) throws IOException {
        return read("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{" + fields + "}]}]}]}")
                .getResourceSpans(0)
                .getScopeSpans(0)
                .getSpans(0);
    }

    private static ExportTraceServiceRequest read(String json) throws IOException {
        ExportTraceServiceRequest.Builder post = ExportTraceServiceRequest.newBuilder();
        OtlpJson.merge(json.getBytes(UTF_8), post);
        return post.build();
    }
}
