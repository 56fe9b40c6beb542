package io.inferwatch.report;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.report");

    @Test
    void seesSchemasAnalyticsAndInfluxOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "picocli..",
                        "com.fasterxml.jackson..",
                        "org.apache.avro..",
                        "org.apache.kafka..",
                        "io.prometheus.metrics..",
                        "com.sun.net.httpserver..",
                        "io.inferwatch.report..",
                        "io.inferwatch.schemas..",
                        "io.inferwatch.analytics..",
                        "io.inferwatch.influx..")
                .because("a reading needs no job, no probe and no cluster")
                .check(CLASSES);
    }

    @Test
    void onlyTheTailAndTheSettingsSeeKafkasClient() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("Event")
                .and()
                .haveSimpleNameNotStartingWith("Config")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .because("figures come from InfluxDB alone")
                .check(CLASSES);
    }

    @Test
    void onlyCommandsAskForTheTime() {
        noClasses()
                .that()
                .haveSimpleNameNotEndingWith("Command")
                .should()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .because("what is reported depends on its arguments alone")
                .check(CLASSES);
    }

    @Test
    void writesNotToStandardStreams() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
    }

    @Test
    void throwsNoGenericExceptions() {
        NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS.check(CLASSES);
    }

    @Test
    void logsThroughSlf4jAlone() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(CLASSES);
    }
}
