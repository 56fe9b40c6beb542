package io.inferwatch.schemas;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch");

    @Test
    void schemasKnowAvroAndYamlAlone() {
        classes()
                .that()
                .resideInAPackage("io.inferwatch.schemas..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.jspecify..",
                        "org.apache.avro..",
                        "com.fasterxml.jackson..",
                        "io.inferwatch.schemas..")
                .because("contracts must not pull a framework into those who keep them")
                .check(CLASSES);
    }

    @Test
    void onlySettingsReadYaml() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.schemas.settings..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.fasterxml.jackson..")
                .because("strictness must not depend on who reads")
                .check(CLASSES);
    }

    @Test
    void nothingReadsTheClock() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.schemas")
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .because("time comes with the events")
                .check(CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("io.inferwatch.schemas.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }
}
