package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Notebooks as they are committed: without outputs, and with units at every plot. */
class NotebookFilesTest {
    private static final int LONGEST_LINE = 160;

    @ParameterizedTest
    @MethodSource("io.inferwatch.local.Notebook#all")
    void isCommittedWithoutOutputs(Notebook notebook) {
        assertThat(notebook.codeCells()).isNotEmpty().allSatisfy(cell -> {
            assertThat(cell.get("outputs"))
                    .as("jupyter nbconvert --clear-output --inplace")
                    .isEmpty();
            assertThat(cell.get("execution_count").isNull()).isTrue();
        });
    }

    @ParameterizedTest
    @MethodSource("io.inferwatch.local.Notebook#all")
    void saysTheUnitOfWhateverItPlots(Notebook notebook) {
        assertThat(notebook.plottingCells()).isNotEmpty().allSatisfy(cell -> {
            // Title, x, y: the quantity with its unit in brackets, or "a / b", or what is told apart by name.
            assertThat(Notebook.text(cell)).containsPattern("axes\\(.*\"[^\"]*(\\([^()]+\\)| / s)\"");
            assertThat(Notebook.text(cell)).as("axes() alone makes plots").doesNotContain("plt.subplots", "plt.plot");
        });
    }

    @ParameterizedTest
    @MethodSource("io.inferwatch.local.Notebook#all")
    void canBeReadWithoutScrolling(Notebook notebook) {
        for (JsonNode cell : notebook.cells()) {
            assertThat(Notebook.text(cell).lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(LONGEST_LINE));
        }
    }
}
