package io.inferwatch.local.remote;

/** The job that a command is about. */
final class RunningJob {
    private RunningJob() {}

    /** The job of that name; refused when it is not there or does not run. */
    static FlinkRest.Job of(FlinkRest flink, String name, String jobName) throws InterruptedException {
        FlinkRest.Job job = flink.job(jobName)
                .orElseThrow(() -> new FlinkRefusalException(
                        "job " + name + ": must run, found no " + jobName + " on " + flink.url()));
        if (!job.state().equals("RUNNING")) {
            throw new FlinkRefusalException("job " + name + ": must run, found it " + job.state());
        }
        return job;
    }
}
