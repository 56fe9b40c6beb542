#!/bin/sh
# inferwatch within its image. INFERWATCH_JAVA_OPTS: options for the JVM, instead of these.
# shellcheck disable=SC2086 # the options are several words
exec java ${INFERWATCH_JAVA_OPTS:--XX:MaxRAMPercentage=60 -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError} \
  -Dinferwatch.job-jar=/opt/inferwatch/inferwatch-job.jar \
  -cp '/opt/inferwatch/lib/*' io.inferwatch.local.InferwatchCommand "$@"
