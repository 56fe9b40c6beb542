package io.inferwatch.probes.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that signs itself for localhost, as files in PEM and as Java's own TLS takes it. */
public record TestCertificate(Path certificate, Path key, KeyStore store) {
    private static final String PASSWORD = "changeit";

    /** Makes one with the JDK's keytool. */
    public static TestCertificate make(Path directory, String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path file = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException(Files.readString(directory.resolve(name + ".log")));
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        Path certificate = directory.resolve(name + ".pem");
        Path key = directory.resolve(name + ".key");
        write(certificate, "CERTIFICATE", store.getCertificate(name).getEncoded());
        write(key, "PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
        return new TestCertificate(certificate, key, store);
    }

    /** TLS that shows this certificate, and trusts the other's. */
    public SSLContext context(TestCertificate trusted) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.trust().getTrustManagers(), null);
        return context;
    }

    /** TLS that shows nothing, and trusts this certificate. */
    public SSLContext anonymous() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust().getTrustManagers(), null);
        return context;
    }

    private TrustManagerFactory trust() throws GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        try {
            trusted.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        trusted.setCertificateEntry(
                "trusted", store.getCertificate(store.aliases().nextElement()));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }

    private static void write(Path file, String kind, byte[] der) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind
                        + "-----\n");
    }
}
