package io.inferwatch.notifier;

import java.util.concurrent.atomic.LongAdder;

/** What the notifier has done since it began. Thread safe. */
final class NotifierCounts {
    /** Records that hold no alert that this version can read. */
    final LongAdder unreadable = new LongAdder();

    /** Alerts that an Alertmanager took, told again included. */
    final LongAdder taken = new LongAdder();

    /** Alerts that an Alertmanager refused for what they are. */
    final LongAdder refused = new LongAdder();

    /** Posts that an Alertmanager did not answer as it should. */
    final LongAdder failedPosts = new LongAdder();

    @Override
    public String toString() {
        return "taken " + taken + ", refused " + refused + ", failed posts " + failedPosts + ", unreadable "
                + unreadable;
    }
}
