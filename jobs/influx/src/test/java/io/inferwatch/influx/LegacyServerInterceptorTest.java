package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.Request;
import org.junit.jupiter.api.Test;

class LegacyServerInterceptorTest {
    @Test
    void turnsAWriteOfVersionTwoIntoOneOfVersionOne() {
        Request request = new Request.Builder()
                .url("http://h:8086/api/v2/write?org=o&bucket=db%2Frp%201&precision=us")
                .header("Authorization", "Token user:pass word")
                .build();

        Request legacy = LegacyServerInterceptor.rewrite(request);

        assertThat(legacy.url()).hasToString("http://h:8086/write?db=db&rp=rp%201&precision=u");
        // printf 'user:pass word' | base64
        assertThat(legacy.header("Authorization")).isEqualTo("Basic dXNlcjpwYXNzIHdvcmQ=");
    }

    @Test
    void keepsTheProxysPathAndKnowsNanoseconds() {
        Request request = new Request.Builder()
                .url("http://h/influx/api/v2/write?bucket=db&precision=ns")
                .build();

        assertThat(LegacyServerInterceptor.rewrite(request).url())
                .hasToString("http://h/influx/write?db=db&precision=n");
    }

    @Test
    void leavesQueriesAsTheyAreButForTheCredentials() {
        Request request = new Request.Builder()
                .url("http://h/query?db=d")
                .header("Authorization", "Token u:p")
                .build();

        Request legacy = LegacyServerInterceptor.rewrite(request);

        assertThat(legacy.url()).isEqualTo(request.url());
        assertThat(legacy.header("Authorization")).isEqualTo("Basic dTpw");
    }
}
