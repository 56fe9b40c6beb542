package io.inferwatch.probes.corpus;

import java.util.Locale;

/** What must not stay in a prompt; where two kinds overlap the one that is named first takes the place. */
public enum PersonalData {
    /** Keys, tokens, passwords and private keys. */
    KEY,
    /** Addresses of mail. */
    MAIL,
    /** Numbers of payment cards, by their checksum. */
    CARD,
    /** Addresses of the Internet protocol, of version 4 and 6. */
    IP,
    /** Telephone numbers. */
    PHONE,
    /** Names of persons. */
    NAME;

    /** What stands in its place. */
    String placeholder() {
        return "[" + name() + "]";
    }

    /** Its name in files and tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
