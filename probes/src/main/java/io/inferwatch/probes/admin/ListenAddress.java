package io.inferwatch.probes.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where a probe listens, written {@code HOST:PORT}, {@code [IPv6]:PORT} or {@code PORT}. Without a host it is loopback: a port is open to others
 * only where that was asked for. Port 0 is a free one.
 */
public record ListenAddress(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:(?:\\[([^\\]]+)\\]|([^:\\[\\]]+)):)?(\\d{1,5})");

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException with the rule when it is none
     */
    public static ListenAddress parse(String text) {
        Matcher matcher = FORM.matcher(text.trim());
        if (matcher.matches() && Integer.parseInt(matcher.group(3)) <= 65_535) {
            String bracketed = matcher.group(1);
            String plain = bracketed == null ? matcher.group(2) : bracketed;
            String host = plain == null ? InetAddress.getLoopbackAddress().getHostAddress() : plain;
            return new ListenAddress(host, Integer.parseInt(matcher.group(3)));
        }
        throw new IllegalArgumentException("must be HOST:PORT, or PORT for loopback, found '" + text + "'");
    }

    /** The address to bind; unresolved when the host has none. */
    public InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Reads an option of the command line. */
    public static final class Converter implements ITypeConverter<ListenAddress> {
        @Override
        public ListenAddress convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
