package io.inferwatch.influx;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
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
            .importPackages("io.inferwatch.influx");

    @Test
    void knowsNothingElseOfInferwatch() {
        noClasses()
                .should()
                .dependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe(
                        "are Inferwatch's and of another module",
                        type -> type.getPackageName().startsWith("io.inferwatch")
                                && !type.getPackageName().startsWith("io.inferwatch.influx")))
                .because("jobs and reports share it, and neither's types may come along")
                .check(CLASSES);
    }

    @Test
    void isFreeOfFlinkAndKafka() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.flink..", "org.apache.kafka..")
                .because("a report reads InfluxDB without a cluster")
                .check(CLASSES);
    }

    @Test
    void linesAndTheirVerdictsAreFreeOfTheClient() {
        classes()
                .that()
                .haveNameMatching(".*(WriteAnswer.*|PointBuilder|InfluxQl|RetentionPolicy|Statistic|Measurement|Field)")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", "com.fasterxml.jackson..", "io.inferwatch.influx..")
                .because("what a line and an answer mean is decided by pure functions")
                .check(CLASSES);
    }

    @Test
    void officialClientShowsInNoPublicSignature() {
        methods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .should()
                .notHaveRawReturnType(com.tngtech.archunit.base.DescribedPredicate.describe(
                        "of the official client", type -> type.getPackageName().startsWith("com.influxdb")))
                .because("callers would come to depend on its traps")
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
