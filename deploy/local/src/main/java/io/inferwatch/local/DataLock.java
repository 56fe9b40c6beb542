package io.inferwatch.local;

import io.inferwatch.servers.ServerStartException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Holds a data directory for one stack at a time; the system lets go of it when the process ends. */
final class DataLock implements AutoCloseable {
    private final FileChannel channel;

    private DataLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Makes the directory where it is missing and takes it; {@link ServerStartException} when it cannot be had. */
    static DataLock take(Path directory) {
        try {
            Files.createDirectories(directory);
            FileChannel channel =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (channel.tryLock() != null) {
                    return new DataLock(channel);
                }
            } catch (OverlappingFileLockException e) {
                channel.close();
                throw inUse(directory);
            }
            channel.close();
            throw inUse(directory);
        } catch (IOException e) {
            throw new ServerStartException("--data: " + directory + " must be a directory to write to, found " + e, e);
        }
    }

    private static ServerStartException inUse(Path directory) {
        return new ServerStartException(
                "--data: " + directory + " is in use by another inferwatch; stop that one or name another directory");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("a lock cannot be given back", e);
        }
    }
}
