package io.inferwatch.local;

import io.inferwatch.influx.SetupInfluxdbCommand;
import io.inferwatch.jobs.SetupKafkaCommand;
import io.inferwatch.jobs.plan.SetupPlanCommand;
import io.inferwatch.local.bench.BenchCommand;
import io.inferwatch.notifier.NotifierCommand;
import io.inferwatch.probes.ProbeCommand;
import io.inferwatch.probes.corpus.CorpusCommand;
import io.inferwatch.probes.identity.TenantCommand;
import io.inferwatch.probes.kernels.ImportKernelsCommand;
import io.inferwatch.probes.load.LoadCommand;
import io.inferwatch.probes.replay.ReplayCommand;
import io.inferwatch.report.ConfigCommand;
import io.inferwatch.report.EventsCommand;
import io.inferwatch.report.ExportCommand;
import io.inferwatch.report.ReportCommand;
import io.inferwatch.report.SloCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code inferwatch}: every sub-command of the product. */
@Command(
        name = "inferwatch",
        description = "Tells whether LLM serving got slower, why, and which commit did it.",
        mixinStandardHelpOptions = true,
        versionProvider = InferwatchVersion.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            UpCommand.class,
            ProbeCommand.class,
            SimulateCommand.class,
            ReplayCommand.class,
            LoadCommand.class,
            CorpusCommand.class,
            InferwatchCommand.Import.class,
            JobCommand.class,
            BackfillCommand.class,
            ReportCommand.class,
            EventsCommand.class,
            ConfigCommand.class,
            SloCommand.class,
            NotifierCommand.class,
            ExportCommand.class,
            TenantCommand.class,
            InferwatchCommand.Setup.class,
            BenchCommand.class,
            CommandLine.HelpCommand.class
        })
public final class InferwatchCommand {
    private static final String LOG_CONFIGURATION = "log4j2.configurationFile";

    /** {@code inferwatch setup}. */
    @Command(
            name = "setup",
            description = "Makes what Inferwatch needs in other systems.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "COMMAND",
            subcommands = {SetupPlanCommand.class, SetupKafkaCommand.class, SetupInfluxdbCommand.class})
    static final class Setup {}

    /** {@code inferwatch import}. */
    @Command(
            name = "import",
            description = "Brings in what other tools have measured.",
            mixinStandardHelpOptions = true,
            synopsisSubcommandLabel = "COMMAND",
            subcommands = ImportKernelsCommand.class)
    static final class Import {}

    private InferwatchCommand() {}

    /** Runs the sub-command that the arguments name and ends the process with its exit status. */
    public static void main(String[] args) {
        if (System.getProperty(LOG_CONFIGURATION) == null) {
            System.setProperty(LOG_CONFIGURATION, "classpath:io/inferwatch/local/log4j2.properties");
        }
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine root = new CommandLine(new InferwatchCommand());
        root.setExecutionExceptionHandler(new FailureHandler());
        giveVersion(root);
        root.getSubcommands().values().stream()
                .filter(command -> List.of("demo", "up").contains(command.getCommandName()))
                .forEach(command -> StackOptions.describeInfluxUrl(command.getCommandSpec()));
        return root;
    }

    /** Every sub-command has -V; without this it would print nothing there. */
    private static void giveVersion(CommandLine command) {
        command.getCommandSpec().versionProvider(new InferwatchVersion());
        command.getSubcommands().values().forEach(InferwatchCommand::giveVersion);
    }
}
