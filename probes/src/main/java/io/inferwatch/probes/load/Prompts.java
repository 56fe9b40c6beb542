package io.inferwatch.probes.load;

import java.util.SplittableRandom;

/** What users say. */
interface Prompts {
    /**
     * The prompt of a request.
     *
     * @param random of this request alone
     */
    Piece prompt(long number, SplittableRandom random);
}
