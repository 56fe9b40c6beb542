package io.inferwatch.probes.corpus;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/** Tokens by a byte-pair vocabulary that is used in earnest, {@code o200k_base}; a server's own counts differ by a few in a hundred. Thread safe. */
final class Tokens {
    /** Name of the vocabulary. */
    static final String VOCABULARY = EncodingType.O200K_BASE.getName();

    private final Encoding encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    /** The numbers of a text's tokens; what looks like a control token is text. */
    int[] of(String text) {
        return encoding.encodeOrdinary(text).toArray();
    }

    int count(String text) {
        return encoding.countTokensOrdinary(text);
    }
}
