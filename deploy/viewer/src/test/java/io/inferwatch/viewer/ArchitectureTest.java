package io.inferwatch.viewer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.viewer");

    @Test
    void seesDashboardsAndInfluxOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "com.sun.net.httpserver..",
                        "org.jspecify..",
                        "org.slf4j..",
                        "com.fasterxml.jackson..",
                        "io.inferwatch.viewer..",
                        "io.inferwatch.dashboards..",
                        "io.inferwatch.influx..")
                .because("it reads what is stored and knows no job")
                .check(CLASSES);
    }

    @Test
    void writesNotToStandardStreams() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
    }
}
