package io.inferwatch.schemas.settings;

import java.util.List;

/** Settings that cannot be used. The message lists every problem, one a line; a command ends with status 2 on it, without a stack trace. */
public final class InvalidSettingsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final List<String> problems;

    /** All problems found in the source, each as {@code key: must be ..., found ...}. */
    public InvalidSettingsException(String source, List<String> problems) {
        super(source + ":\n  " + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    /** The problems: faulty values in the order in which they were read, then unknown keys. */
    public List<String> problems() {
        return problems;
    }
}
