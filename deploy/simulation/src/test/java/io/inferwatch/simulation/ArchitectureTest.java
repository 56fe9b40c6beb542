package io.inferwatch.simulation;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.GeneralCodingRules;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch.simulation");

    @Test
    void theEngineKnowsJavaAlone() {
        noClasses()
                .that()
                .resideInAPackage("io.inferwatch.simulation.engine")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("io.inferwatch.simulation.engine", "java..", "org.jspecify..")
                .because("a schedule is worked out from the specification, the load and nothing else")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.inferwatch.simulation.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    @Test
    void doesNotWriteToStandardStreams() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CLASSES);
    }
}
