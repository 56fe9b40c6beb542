package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.ExperimentRule;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch config deal}: deals a policy out to replicas by chance and not by anybody's choice, as a file that {@code inferwatch config
 * set} takes. Touches nothing.
 */
@Command(
        name = "deal",
        description = {
            "Deals a changed policy of batching or padding out to half of a model's replicas at random, and prints it as a file that inferwatch config set takes.",
            "Give the policy to the replicas under changed, then set the file: what differs from then on may be called its effect."
        },
        mixinStandardHelpOptions = true)
public final class ConfigDealCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--model", paramLabel = "MODEL", required = true, description = "The replicas' model.")
    private String model = "";

    @Option(
            names = "--replicas",
            paramLabel = "NAME,...",
            split = ",",
            required = true,
            description = "All replicas that may get the policy: at least ten.")
    private List<String> replicas = List.of();

    private final InstantSource clock;
    private final RandomGenerator random;

    /** A command whose chance nobody can foresee. */
    public ConfigDealCommand() {
        this(InstantSource.system(), new SecureRandom());
    }

    ConfigDealCommand(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void run() {
        List<String> dealt = new ArrayList<>(new LinkedHashSet<>(replicas));
        if (dealt.size() != replicas.size() || dealt.size() < 2 * ExperimentRule.MIN_REPLICAS) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--replicas: must be at least " + 2 * ExperimentRule.MIN_REPLICAS + " different names, found "
                            + dealt.size() + " in " + replicas.size());
        }
        for (int left = dealt.size(); left > 1; left--) {
            Collections.swap(dealt, left - 1, random.nextInt(left));
        }
        int half = dealt.size() / 2;
        PrintWriter out = spec.commandLine().getOut();
        out.println("experiments:");
        out.println("  " + quoted(model) + ":");
        out.println("    since: " + clock.instant().truncatedTo(ChronoUnit.SECONDS)
                + "  # when the last replica has its policy: set it later if that takes longer");
        out.println("    baseline: " + list(dealt.subList(half, dealt.size())));
        out.println("    changed: " + list(dealt.subList(0, half)));
        out.flush();
    }

    private static String list(List<String> names) {
        return names.stream().sorted().map(ConfigDealCommand::quoted).toList().toString();
    }

    /** So that a name which looks like a number stays a name. */
    private static String quoted(String name) {
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
