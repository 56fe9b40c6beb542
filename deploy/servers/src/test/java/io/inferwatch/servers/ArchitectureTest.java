package io.inferwatch.servers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.GeneralCodingRules;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.servers");

    @Test
    void knowsNothingOfTheProductItServes() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.inferwatch.schemas..",
                        "io.inferwatch.analytics..",
                        "io.inferwatch.jobs..",
                        "io.inferwatch.probes..",
                        "io.inferwatch.influx..",
                        "org.apache.flink..")
                .because("every module's tests may start servers")
                .check(CLASSES);
    }

    @Test
    void onlyTheChildProcessHoldsTheBrokersClasses() {
        noClasses()
                .that()
                .doNotHaveSimpleName("BrokerProcess")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("kafka..", "org.apache.kafka.metadata..")
                .because("the broker runs in a JVM of its own")
                .check(CLASSES);
    }

    @Test
    void doesNotWriteToStandardStreams() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
    }
}
