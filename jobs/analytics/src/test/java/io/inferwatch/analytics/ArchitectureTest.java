package io.inferwatch.analytics;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.inferwatch");

    @Test
    void analyticsKnowsNoFramework() {
        classes()
                .that()
                .resideInAPackage("io.inferwatch.analytics..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java.lang..",
                        "java.math..",
                        "java.nio.charset..",
                        "java.time..",
                        "java.util..",
                        "org.jspecify..",
                        "com.datadoghq.sketch..",
                        "com.amazon.randomcutforest..",
                        "org.apache.commons.statistics..",
                        "org.apache.commons.numbers..",
                        "io.inferwatch.analytics..")
                .because("statistics must be usable and testable without what calls it, and do no input or output")
                .check(CLASSES);
    }

    @Test
    void nothingReadsAClock() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Clock.class, Instant.class)
                .because("time comes as an argument: the same input must give the same result")
                .check(CLASSES);
    }

    @Test
    void nothingIsRandom() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, SplittableRandom.class, ThreadLocalRandom.class)
                .orShould()
                .callMethod(Math.class, "random")
                .because("the same input must give the same result")
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysThatNullIsMarked() {
        classes()
                .that()
                .haveSimpleName("package-info")
                .should()
                .beAnnotatedWith("org.jspecify.annotations.NullMarked")
                .because("the compiler's check of nulls holds for marked packages alone")
                .check(CLASSES);
        org.assertj.core.api.Assertions.assertThat(CLASSES.stream()
                        .filter(type -> !type.getSimpleName().equals("package-info"))
                        .map(JavaClass::getPackageName)
                        .distinct())
                .isSubsetOf(CLASSES.stream()
                        .filter(type -> type.getSimpleName().equals("package-info"))
                        .map(JavaClass::getPackageName)
                        .toList());
    }
}
