package io.inferwatch.jobs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.time.Instant;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter(
                    java.util.List.of(new ImportOption.DoNotIncludeTests()))
            .importPackages("io.inferwatch.jobs");

    @Test
    void noStageLooksAtALaterOne() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("ingest")
                .definedBy("io.inferwatch.jobs.ingest..")
                .layer("window")
                .definedBy("io.inferwatch.jobs.window..")
                .optionalLayer("store")
                .definedBy("io.inferwatch.jobs.store..")
                .layer("graph")
                .definedBy("io.inferwatch.jobs")
                .whereLayer("graph")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("graph")
                .whereLayer("window")
                .mayOnlyBeAccessedByLayers("graph", "store")
                .because("the packages stand in the order of the data")
                .check(CLASSES);
    }

    @Test
    void onlyTheGraphsTouchTheEnvironment() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.inferwatch.jobs")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(StreamExecutionEnvironment.class)
                .because("a graph is one method that reads like the drawing")
                .check(CLASSES);
    }

    @Test
    void measuringReadsNoClock() {
        noClasses()
                .that()
                .resideInAnyPackage("io.inferwatch.jobs.ingest..", "io.inferwatch.jobs.window..")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Instant.class, "now")
                .because("time comes with the events, or from Flink")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.inferwatch.jobs.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void nothingPrintsOrLogsPastSlf4jOrThrowsGenericExceptions() {
        GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(CLASSES);
        GeneralCodingRules.NO_CLASSES_SHOULD_THROW_GENERIC_EXCEPTIONS.check(CLASSES);
        noClasses()
                .that()
                .haveSimpleNameNotEndingWith("Command")
                .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
                .check(CLASSES);
    }

    @Test
    void aClassThatReadsTheClockIsCaught() {
        JavaClasses planted = new ClassFileImporter().importClasses(ClockReader.class);
        assertThat(noClasses()
                        .should()
                        .callMethod(System.class, "nanoTime")
                        .evaluate(planted)
                        .hasViolation())
                .isTrue();
    }

    private static final class ClockReader {
        @SuppressWarnings("unused")
        static long read() {
            return System.nanoTime();
        }
    }
}
