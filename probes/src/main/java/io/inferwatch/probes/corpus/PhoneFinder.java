package io.inferwatch.probes.corpus;

import com.google.i18n.phonenumbers.PhoneNumberMatch;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.Leniency;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds telephone numbers that are valid by their country's plan. */
final class PhoneFinder implements Finder {
    /** The shortest numbers that a plan allows and a text does not hold by the dozen. */
    private static final int LEAST_DIGITS = 7;

    private static final long MOST_CANDIDATES = 1_000;

    private final PhoneNumberUtil plans = PhoneNumberUtil.getInstance();
    private final List<String> regions;

    /**
     * Numbers with a country code, and those of some regions without.
     *
     * @throws IllegalArgumentException when there is no such region
     */
    PhoneFinder(List<String> regions) {
        List<String> unknown = regions.stream()
                .filter(region -> !plans.getSupportedRegions().contains(region))
                .toList();
        if (!unknown.isEmpty() || regions.isEmpty()) {
            throw new IllegalArgumentException("--regions: must be countries' codes such as US,DE, found "
                    + (regions.isEmpty() ? "none" : unknown));
        }
        this.regions = List.copyOf(regions);
    }

    @Override
    public List<Span> find(String text) {
        List<Span> spans = new ArrayList<>();
        if (text.chars().filter(Character::isDigit).limit(LEAST_DIGITS).count() < LEAST_DIGITS) {
            return spans;
        }
        for (String region : regions) {
            for (PhoneNumberMatch match : plans.findNumbers(text, region, Leniency.VALID, MOST_CANDIDATES)) {
                Span span = new Span(match.start(), match.end(), PersonalData.PHONE);
                if (isPlausible(match) && spans.stream().noneMatch(span::overlaps)) {
                    spans.add(span);
                }
            }
        }
        return spans;
    }

    /** Orders and dates are digits with hyphens too: without a country code those are a number only in the groups in which its country writes it. */
    private boolean isPlausible(PhoneNumberMatch match) {
        String raw = match.rawString();
        List<String> groups = groups(raw);
        boolean isLong = String.join("", groups).length() >= LEAST_DIGITS;
        return isLong
                && (raw.startsWith("+")
                        || !raw.contains("-")
                        || groups.equals(groups(plans.format(match.number(), PhoneNumberFormat.NATIONAL))));
    }

    private static List<String> groups(String number) {
        return Arrays.stream(number.split("\\D+"))
                .filter(group -> !group.isEmpty())
                .toList();
    }
}
