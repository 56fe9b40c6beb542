package io.inferwatch.probes.identity;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch tenant}: what hashed tenants are called in events and points. */
@Command(
        name = "tenant",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Finds tenants in what Inferwatch shows.")
public final class TenantCommand {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    /** Prints the hash; status 2 when there is no salt to hash with, for a hash with any other would find nothing. */
    @Command(
            name = "resolve",
            mixinStandardHelpOptions = true,
            description = "Prints the hash under which a tenant stands in events and points.")
    int resolve(
            @Parameters(paramLabel = "NAME", description = "The tenant as requests name it.") String name,
            @Option(
                            names = "--salt-file",
                            paramLabel = "FILE",
                            description = "The probes' salt. Default: .inferwatch/salt in your home.")
                    @Nullable
                    Path saltFile) {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("tenant: must be run by picocli");
        }
        Path file = saltFile == null ? SaltedHash.defaultFile() : saltFile;
        String found;
        try {
            SaltedHash hash = SaltedHash.read(file);
            PrintWriter out = command.commandLine().getOut();
            out.println(hash.digits(SaltedHash.Kind.TENANT, name.trim()));
            out.flush();
            return OK;
        } catch (NoSuchFileException e) {
            found = "no file " + file;
        } catch (IOException e) {
            found = String.valueOf(e.getMessage());
        }
        PrintWriter err = command.commandLine().getErr();
        err.println("inferwatch tenant resolve: --salt-file: must be a file with the probes' salt, found " + found);
        err.flush();
        return BAD_INPUT;
    }
}
