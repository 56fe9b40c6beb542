# syntax=docker/dockerfile:1
# The inferwatch command: every probe, set-up, submission of jobs, reports.
#   docker build -f deploy/images/inferwatch.Dockerfile -t inferwatch:0.1.0 .
FROM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -q -Dquick -DskipTests -pl deploy/local -am package \
    && mkdir -p /out/lib \
    && tr ':' '\n' < deploy/local/target/classpath.txt | xargs cp -t /out/lib \
    && cp deploy/local/target/inferwatch-local-*.jar /out/lib \
    && cp jobs/pipeline/target/inferwatch-pipeline-*-job.jar /out/inferwatch-job.jar

FROM eclipse-temurin:17-jre
COPY --from=build /out /opt/inferwatch
COPY deploy/images/inferwatch.sh /usr/local/bin/inferwatch
# A number, so that Kubernetes can see that it is not root. Nothing is written outside /tmp and mounted volumes.
USER 10001:10001
ENTRYPOINT ["inferwatch"]
CMD ["--help"]
