# syntax=docker/dockerfile:1
# Flink with the jobs, their metric reporter and access to S3.
#   docker build -f deploy/images/flink.Dockerfile --build-context inferwatch=docker-image://inferwatch:0.1.0 -t inferwatch-flink:0.1.0 .
FROM flink:2.2.1-scala_2.12-java17
COPY --from=inferwatch /opt/inferwatch/inferwatch-job.jar /opt/flink/usrlib/inferwatch-job.jar
# The reporter is a plugin: Flink's processes need it before any job is there.
RUN mkdir -p /opt/flink/plugins/inferwatch /opt/flink/plugins/s3-fs-presto \
    && ln -s /opt/flink/usrlib/inferwatch-job.jar /opt/flink/plugins/inferwatch/ \
    && ln -s /opt/flink/opt/flink-s3-fs-presto-*.jar /opt/flink/plugins/s3-fs-presto/ \
    && install -d -o 9999 -g 9999 /var/lib/flink
USER 9999:9999
