package io.inferwatch.probes.kernels;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a kernel's or an annotation's name says. */
final class KernelNames {
    private static final int MAX_NAME = 200;

    /** In this order: a decode step holds attention, so the narrower word wins over the wider one. */
    private static final List<String> STAGES = List.of("attention", "attn", "mlp", "moe", "prefill", "decode");

    private static final Pattern LAYER = Pattern.compile("\\blayers?[._\\[ ]*(\\d+)");
    private static final Pattern HEAD = Pattern.compile("\\bheads?[._\\[ ]*(\\d+)");
    private static final Pattern ATTENTION = Pattern.compile("flash|fmha|attention|paged_?attn|mha_|mla_");

    private KernelNames() {}

    /**
     * The name without template arguments, parameters and return type, so that instances of one kernel are one: {@code void cutlass::Kernel<...>(Params)}
     * becomes {@code cutlass::Kernel}.
     */
    static String plain(String name) {
        StringBuilder plain = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '<') {
                depth++;
            } else if (c == '>' && depth > 0) {
                depth--;
            } else if (c == '(' && depth == 0 && !name.startsWith("(anonymous", i)) {
                break;
            } else if (depth == 0) {
                plain.append(c);
            }
        }
        String text = plain.toString().strip();
        int type = text.lastIndexOf(' ');
        String last = text.startsWith("void ") || type < 0 ? text.substring(type + 1) : text;
        String kept = last.isEmpty() ? name.strip() : last;
        return kept.length() <= MAX_NAME ? kept : kept.substring(0, MAX_NAME);
    }

    /** The stage that an annotation names, if it does. */
    static Optional<String> stageOfAnnotation(String annotation) {
        String lower = annotation.toLowerCase(Locale.ROOT);
        return STAGES.stream()
                .filter(lower::contains)
                .findFirst()
                .map(stage -> stage.equals("attn") ? "attention" : stage);
    }

    /** The stage that a kernel's own name gives away: attention alone does. */
    static Optional<String> stageOfKernel(String kernel) {
        return ATTENTION.matcher(kernel.toLowerCase(Locale.ROOT)).find() ? Optional.of("attention") : Optional.empty();
    }

    /** The layer that an annotation names, if it does. */
    static Optional<String> layer(String annotation) {
        return first(LAYER, annotation);
    }

    /** The attention head that an annotation names, if it does. */
    static Optional<String> head(String annotation) {
        return first(HEAD, annotation);
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text.toLowerCase(Locale.ROOT));
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}
