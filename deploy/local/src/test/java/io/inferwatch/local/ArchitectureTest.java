package io.inferwatch.local;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
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
            .importPackages("io.inferwatch");

    @Test
    void nothingKnowsTheModuleThatSeesEverything() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.local..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.inferwatch.local..")
                .because("it is the last module: production does not contain it")
                .check(CLASSES);
    }

    @Test
    void onlyTheClusterTouchesFlinksMiniCluster() {
        noClasses()
                .that()
                .resideInAPackage("io.inferwatch.local")
                .and()
                .haveNameNotMatching(".*\\.FlinkCluster(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.flink.runtime..")
                .because("how Flink is started is one class's business")
                .check(CLASSES);
    }

    @Test
    void commandsEndInCommand() {
        classes()
                .that()
                .resideInAPackage("io.inferwatch.local..")
                .and()
                .areAnnotatedWith("picocli.CommandLine$Command")
                .and()
                .areTopLevelClasses()
                .should()
                .haveSimpleNameEndingWith("Command")
                .because("one finds them by name")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.inferwatch.local.(*)..")
                .should()
                .beFreeOfCycles()
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.inferwatch.local"));
    }

    @Test
    void writesThroughPicocliNotToStandardStreams() {
        noClasses()
                .that()
                .doNotHaveSimpleName("PipelineChild")
                .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
                .because(
                        "tests read what a command says; only a bench's child process reports through its standard output")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.inferwatch.local"));
    }
}
