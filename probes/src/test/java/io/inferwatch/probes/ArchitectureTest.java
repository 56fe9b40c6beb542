package io.inferwatch.probes;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.probes");

    private static final ArchRule ONLY_PUBLISH_SEES_KAFKA = noClasses()
            .that()
            .resideOutsideOfPackage("io.inferwatch.probes.publish..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.kafka..")
            .because("probes must not depend on where their events go");

    @Test
    void onlyThePublisherSeesKafka() {
        ONLY_PUBLISH_SEES_KAFKA.check(CLASSES);
    }

    @Test
    void theKafkaRuleRejectsAPlantedViolation() {
        JavaClasses planted = new ClassFileImporter().importClasses(SeesKafka.class);
        assertThat(ONLY_PUBLISH_SEES_KAFKA.evaluate(planted).hasViolation()).isTrue();
    }

    @Test
    void thePublisherKnowsNoProbe() {
        noClasses()
                .that()
                .resideInAPackage("io.inferwatch.probes.publish..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.inferwatch.probes.replay..",
                        "io.inferwatch.probes.proxy..",
                        "io.inferwatch.probes.gpu..",
                        "io.inferwatch.probes.admin..")
                .because("every probe stands on the publisher")
                .check(CLASSES);
    }

    @Test
    void measuringKnowsNoNetwork() {
        noClasses()
                .that()
                .resideInAPackage("io.inferwatch.probes.proxy.measure..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..", "java.net..", "java.nio.channels..", "io.inferwatch.probes.publish..")
                .because("any split of bytes at any time can then be tested in memory")
                .check(CLASSES);
    }

    @Test
    void readingAPageKnowsNoNetworkAndNoEngine() {
        noClasses()
                .that()
                .resideInAPackage("io.inferwatch.probes.engine.exposition..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..",
                        "java.net..",
                        "io.inferwatch.schemas..",
                        "io.inferwatch.probes.engine",
                        "io.inferwatch.probes.engine.mapping..")
                .because("any page can then be tested in memory")
                .check(CLASSES);
    }

    @Test
    void nvmlKnowsNothingOfTheProbe() {
        classes()
                .that()
                .resideInAPackage("io.inferwatch.probes.gpu.nvml..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.inferwatch.probes.gpu.nvml..", "com.sun.jna..", "java..", "org.jspecify..")
                .because("what a driver says and what is made of it are two things")
                .check(CLASSES);
    }

    @Test
    void nativeLibrariesAreInOnePlaceEach() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.probes.gpu.nvml..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.sun.jna..")
                .because("what can crash the process stays in one place")
                .check(CLASSES);
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.gpu\\.CudaCanary(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jcuda..")
                .because("what can crash the process stays in one place")
                .check(CLASSES);
    }

    @Test
    void onlyProcessesMakeAKafkaPublisher() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.probes.publish..")
                .and()
                .haveSimpleNameNotEndingWith("Command")
                .and()
                .doNotHaveSimpleName("ProbeProcess")
                .should()
                .dependOnClassesThat()
                .haveSimpleName("KafkaPublisher")
                .because("everything else publishes through the interface and can be tested without Kafka")
                .check(CLASSES);
    }

    @Test
    void probesKnowNoJobAndNoFlink() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.inferwatch.jobs..", "io.inferwatch.influx..", "org.apache.flink..")
                .because("what runs on a serving host stays small")
                .check(CLASSES);
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.inferwatch.probes.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void nobodyWritesToStandardStreamsOrJavasOwnLogging() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(CLASSES);
        NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS.check(CLASSES);
    }

    /** A violation on purpose. */
    private static final class SeesKafka {
        @SuppressWarnings("unused")
        private org.apache.kafka.clients.producer.@org.jspecify.annotations.Nullable ProducerConfig config;
    }
}
