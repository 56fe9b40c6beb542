package io.inferwatch.probes.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.identity.SaltedHash.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SaltedHashTest {
    @TempDir
    private Path directory;

    @Test
    void isTheStartOfHmacSha256() throws IOException {
        Path file = Files.writeString(directory.resolve("salt"), " 0123456789abcdef0123\n");
        SaltedHash hash = SaltedHash.read(file);
        // openssl dgst -sha256 -mac HMAC -macopt key:0123456789abcdef0123
        assertThat(hash.digits(Kind.TENANT, "acme")).isEqualTo("59e5ccfb9adf513c");
        assertThat(hash.digits(Kind.SESSION, "acme")).isEqualTo("e1bdae4f11911592");
    }

    @Test
    void aMissingFileIsMadeForItsOwnerAloneAndStaysTheSame() throws IOException {
        Path file = directory.resolve("new/salt");
        String digits = SaltedHash.readOrCreate(file).digits(Kind.TENANT, "acme");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(SaltedHash.readOrCreate(file).digits(Kind.TENANT, "acme")).isEqualTo(digits);
        try (Stream<Path> files = Files.list(directory.resolve("new"))) {
            assertThat(files).containsExactly(file);
        }
        assertThat(SaltedHash.readOrCreate(directory.resolve("other")).digits(Kind.TENANT, "acme"))
                .isNotEqualTo(digits);
    }

    @Test
    void processesThatStartTogetherAgree() throws Exception {
        Path file = directory.resolve("salt");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<String>> starts = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                starts.add(() -> SaltedHash.readOrCreate(file).digits(Kind.TENANT, "acme"));
            }
            Set<String> digits = new HashSet<>();
            for (Future<String> start : threads.invokeAll(starts)) {
                digits.add(start.get());
            }
            assertThat(digits).hasSize(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void saysWhatIsWrongWithAFile() throws IOException {
        Path shortOne = Files.writeString(directory.resolve("short"), "123456789012345");
        assertThatThrownBy(() -> SaltedHash.read(shortOne)).hasMessage(shortOne + " with 15 bytes");
        assertThatThrownBy(() -> SaltedHash.read(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> SaltedHash.read(directory)).hasMessageStartingWith(directory + ", IOException");
    }
}
