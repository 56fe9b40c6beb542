package io.inferwatch.local.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Every command with its arguments and options, by picocli's own model of them. */
public final class CommandReference {
    private CommandReference() {}

    public static String of(CommandLine command) {
        StringBuilder text = new StringBuilder();
        add(command.getCommandSpec(), text);
        return text.toString();
    }

    private static void add(CommandSpec command, StringBuilder text) {
        if (command.userObject() instanceof CommandLine.HelpCommand) {
            return;
        }
        text.append("### ").append(command.qualifiedName()).append("\n\n");
        text.append(join(command.usageMessage().description())).append("\n\n");
        String arguments = arguments(command);
        if (!arguments.isEmpty()) {
            text.append(arguments).append('\n');
        }
        String footer = join(command.usageMessage().footer());
        if (!footer.isEmpty()) {
            text.append(footer).append("\n\n");
        }
        command.subcommands().values().forEach(sub -> add(sub.getCommandSpec(), text));
    }

    private static String arguments(CommandSpec command) {
        List<PositionalParamSpec> parameters = command.positionalParameters();
        List<OptionSpec> options = command.options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                .toList();
        if (parameters.isEmpty() && options.isEmpty()) {
            return "";
        }
        MarkdownTable table = new MarkdownTable("argument", "meaning");
        parameters.forEach(
                parameter -> table.row(MarkdownTable.code(parameter.paramLabel()), join(parameter.description())));
        options.forEach(option -> table.row(
                MarkdownTable.code(names(option)) + (option.required() ? ", required" : ""),
                join(option.description())));
        return table.toString();
    }

    private static String names(OptionSpec option) {
        List<String> names = new ArrayList<>();
        for (String name : option.names()) {
            names.add(option.negatable() ? name.replaceFirst("^--", "--[no-]") : name);
        }
        return String.join(", ", names) + (option.arity().max() > 0 ? " " + option.paramLabel() : "");
    }

    /** As help shows it: picocli takes some of the lines for formats. */
    private static String join(String... lines) {
        return Arrays.stream(lines).map(line -> line.replace("%%", "%").strip()).collect(Collectors.joining(" "));
    }
}
