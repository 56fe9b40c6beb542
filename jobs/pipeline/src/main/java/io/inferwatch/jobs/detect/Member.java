package io.inferwatch.jobs.detect;

/**
 * A window on its way to one of those who judge it, as a member of the group that is judged together.
 *
 * @param task who judges: the view of drift, the name of a comparison or of figures
 * @param group series without the dimension that tells the group's members apart
 * @param arm the member's value of that dimension; of several, {@code /value/value}, encoded as series are; without one, empty
 * @param windowMicros length of the window
 * @param endMicros its end, exclusive, epoch microseconds
 * @param content the {@link io.inferwatch.schemas.WindowStat}, encoded, with no other metrics than those that the task asks for
 */
public record Member(String task, String group, String arm, long windowMicros, long endMicros, byte[] content) {
    /** What is judged together. */
    public String key() {
        return task + ' ' + group;
    }
}
