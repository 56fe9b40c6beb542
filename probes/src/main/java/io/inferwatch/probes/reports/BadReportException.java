package io.inferwatch.probes.reports;

/** A report that cannot be taken; the message names the key, the rule and what was found. */
final class BadReportException extends Exception {
    private static final long serialVersionUID = 1;

    BadReportException(String message) {
        super(message);
    }
}
