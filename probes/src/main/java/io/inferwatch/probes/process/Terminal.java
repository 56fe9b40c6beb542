package io.inferwatch.probes.process;

import java.io.Console;

/** Whether somebody is looking: then progress is a line that is written over itself. */
public final class Terminal {
    private Terminal() {}

    /** Whether the process has a terminal. */
    // Up to Java 21 there is a console only where there is a terminal; from 22 on the console itself has to be asked.
    @SuppressWarnings("SystemConsoleNull")
    public static boolean isThere() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}
