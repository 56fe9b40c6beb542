package io.inferwatch.dashboards;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.dashboards");

    @Test
    void seesTheNamesOfWhatIsStoredOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "com.fasterxml.jackson..",
                        "io.inferwatch.dashboards..",
                        "io.inferwatch.schemas..",
                        "io.inferwatch.analytics.drift..",
                        "io.inferwatch.influx..",
                        "io.inferwatch.jobs.store..",
                        "io.inferwatch.jobs.health..")
                .because("dashboards are text: they run no job and ask no server")
                .check(CLASSES);
    }

    @Test
    void writesNotToStandardStreams() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
    }
}
