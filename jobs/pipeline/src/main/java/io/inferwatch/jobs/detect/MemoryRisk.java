package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.Evidence;
import java.util.List;

/**
 * A risk of memory in one minute: shown or not, with what was measured either way.
 *
 * @param alert name of the alert, and of its runbook page
 * @param subject what it is a risk of: the group's name
 * @param labels the figures' dimensions
 * @param reason why it is shown, in words; what is measured now where it is not
 */
record MemoryRisk(
        String alert,
        String subject,
        String view,
        List<Dimension> labels,
        boolean isShown,
        String reason,
        List<Evidence> evidence) {}
