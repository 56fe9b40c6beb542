package io.inferwatch.local;

import java.nio.file.Path;

/** Where the working copy keeps what runs of it leave behind; git ignores it. */
final class Home {
    private Home() {}

    /** The directory of that name under {@code .inferwatch} of the working copy, or of the current directory where no launcher named one. */
    static Path data(String name) {
        return Path.of(System.getProperty("inferwatch.home", ""))
                .toAbsolutePath()
                .resolve(".inferwatch")
                .resolve(name);
    }
}
