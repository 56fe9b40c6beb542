package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;

/** The image files: versions, paths and class names that they share with the build and the deployment files. */
class ImageFilesTest {
    private static final Path DIRECTORY = DeploymentFiles.ROOT.resolve("images");
    private static final Pattern COPY = Pattern.compile("(?m)^COPY ([^- ]\\S*) ");

    @Test
    void filesThatAreCopiedAreThere() throws Exception {
        Matcher copies = COPY.matcher(text("inferwatch.Dockerfile"));
        while (copies.find()) {
            assertThat(DeploymentFiles.ROOT
                            .resolve("..")
                            .resolve(copies.group(1))
                            .normalize())
                    .exists();
        }
        assertThat(DIRECTORY.resolve("inferwatch.sh")).isExecutable();
    }

    @Test
    void theLauncherStartsTheCommandAndKnowsTheJobJar() throws Exception {
        String launcher = text("inferwatch.sh");
        assertThat(launcher)
                .contains(InferwatchCommand.class.getName())
                .contains("-Dinferwatch.job-jar=/opt/inferwatch/inferwatch-job.jar");
        assertThat(text("inferwatch.Dockerfile"))
                .contains("/out/inferwatch-job.jar", "COPY --from=build /out /opt/inferwatch");
    }

    @Test
    void flinkIsTheOneThatTheJobsAreBuiltWith() throws Exception {
        String image = text("flink.Dockerfile");
        assertThat(image).contains("FROM flink:" + EnvironmentInformation.getVersion() + "-");
        for (String job : new String[] {"measure", "detect", "store"}) {
            assertThat(Files.readString(DeploymentFiles.ROOT.resolve("kubernetes/base/" + job + ".yaml")))
                    .contains("jarURI: local:///opt/flink/usrlib/inferwatch-job.jar");
        }
        assertThat(image).contains("/opt/flink/usrlib/inferwatch-job.jar");
    }

    private static String text(String name) throws Exception {
        return Files.readString(DIRECTORY.resolve(name));
    }
}
