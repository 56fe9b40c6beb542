package io.inferwatch.probes.corpus;

import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds what has a form of its own: keys, addresses of mail and of the Internet protocol, numbers of cards. */
final class PatternFinder implements Finder {
    /** Keys with the beginnings that their makers gave them, private keys, and what is called a password or key. */
    private static final List<Rule> RULES = List.of(
            new Rule(
                    PersonalData.KEY,
                    "-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]{0,8192}?(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)"),
            new Rule(
                    PersonalData.KEY,
                    "\\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"
                            + "|\\b(?:gh[pousr]_|github_pat_|glpat-|hf_|xox[abeprs]-|npm_|pypi-|dop_v1_|SG\\.)[A-Za-z0-9_.-]{16,}"
                            + "|\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b|\\bAIza[A-Za-z0-9_-]{35}"
                            + "|\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*"),
            new Rule(PersonalData.KEY, "(?i)\\bbearer\\s+(?<value>[A-Za-z0-9._~+/-]{16,}=*)"),
            new Rule(
                    PersonalData.KEY,
                    "(?i)\\b(?:password|passwd|pwd|passwort|kennwort|mot de passe|contraseña|senha|secret|token|api[-_ ]?key|access[-_ ]?key|client[-_ ]?secret)"
                            + "[\"']?\\s*[:=]\\s*[\"']?(?<value>(?!\\[KEY])[^\\s\"',;]{6,})"),
            new Rule(PersonalData.KEY, "(?<![\\w/+-])[A-Fa-f0-9]{32,}(?![\\w/+-])"),
            new Rule(PersonalData.KEY, "(?<![\\w/+=-])[A-Za-z0-9_+/-]{32,}={0,2}(?![\\w/+=-])", PatternFinder::isMixed),
            new Rule(
                    PersonalData.MAIL,
                    "(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}@(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.){1,8}\\p{L}{2,24}"),
            new Rule(PersonalData.CARD, "(?<![\\d.-])\\d(?:[ -]?\\d){12,18}(?![\\d-]|\\.\\d)", PatternFinder::isCard),
            new Rule(
                    PersonalData.IP,
                    "(?<![\\d.])\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\d]|\\.\\d)",
                    NetUtil::isValidIpV4Address),
            new Rule(
                    PersonalData.IP,
                    "(?<![:.\\w])(?:[A-Fa-f0-9]{0,4}:){2,7}[A-Fa-f0-9.]{0,15}(?![:\\w])",
                    PatternFinder::isVersion6));

    /** What is looked for; the group {@code value}, where there is one, is what is taken away. */
    private record Rule(PersonalData kind, Pattern pattern, boolean hasValue, Predicate<String> check) {
        Rule(PersonalData kind, String pattern) {
            this(kind, pattern, found -> true);
        }

        Rule(PersonalData kind, String pattern, Predicate<String> check) {
            this(kind, Pattern.compile(pattern), pattern.contains("(?<value>"), check);
        }
    }

    @Override
    public List<Span> find(String text) {
        List<Span> spans = new ArrayList<>();
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(text);
            while (matcher.find()) {
                int start = rule.hasValue() ? matcher.start("value") : matcher.start();
                int end = rule.hasValue() ? matcher.end("value") : matcher.end();
                Span span = new Span(start, end, rule.kind());
                if (rule.check().test(text.substring(start, end))
                        && spans.stream().noneMatch(span::overlaps)) {
                    spans.add(span);
                }
            }
        }
        return spans;
    }

    /** Capitals, small letters and digits in turn, as in what a machine has drawn: of its neighbours three in five are of different kinds, of those in a path or a name one in three. */
    private static boolean isMixed(String text) {
        int changes = 0;
        for (int i = 1; i < text.length(); i++) {
            changes += kind(text.charAt(i)) != kind(text.charAt(i - 1)) ? 1 : 0;
        }
        return text.chars().anyMatch(Character::isUpperCase)
                && text.chars().anyMatch(Character::isLowerCase)
                && text.chars().anyMatch(Character::isDigit)
                && 5 * changes >= 2 * text.length();
    }

    private static int kind(char c) {
        if (Character.isDigit(c)) {
            return 0;
        }
        return Character.isUpperCase(c) ? 1 : Character.isLowerCase(c) ? 2 : 3;
    }

    /** By Luhn's checksum; one digit repeated is none. */
    static boolean isCard(String text) {
        int[] digits = text.chars()
                .filter(Character::isDigit)
                .map(Character::getNumericValue)
                .toArray();
        int sum = 0;
        boolean isVaried = false;
        for (int i = 0; i < digits.length; i++) {
            int digit = digits[digits.length - 1 - i];
            isVaried |= digit != digits[0];
            int weighted = i % 2 == 0 ? digit : 2 * digit;
            sum += weighted > 9 ? weighted - 9 : weighted;
        }
        return isVaried && sum % 10 == 0;
    }

    /** Also the short forms; but not the word "::" alone, nor a time of day. */
    private static boolean isVersion6(String text) {
        return text.length() > 2 && NetUtil.isValidIpV6Address(text);
    }
}
