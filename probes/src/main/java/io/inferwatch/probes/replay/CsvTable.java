package io.inferwatch.probes.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** A CSV file whose columns are found by the names in its first line, whatever their order. Line ends may be LF or CRLF. */
final class CsvTable {
    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setIgnoreEmptyLines(false).get();

    private final Path file;
    private final List<String> required;
    private final TraceRows rows;
    private long line;

    CsvTable(Path file, List<String> required, TraceRows rows) {
        this.file = file;
        this.required = required;
        this.rows = rows;
    }

    interface RowReader {
        void read(Fields fields, long row);
    }

    /**
     * Hands over the rows in order, numbered from 1. Blank lines at the end are none; one in the middle is warned of.
     *
     * @throws BadTraceException when a required column is missing or a row has more or fewer values than the header
     */
    void read(RowReader rowReader) {
        TraceFile.read(file, () -> line, reader -> {
            try (CSVParser parser = FORMAT.parse(reader)) {
                var records = parser.iterator();
                if (!hasNext(records, parser)) {
                    throw new BadTraceException(file + ": must begin with a header, found an empty file");
                }
                Map<String, Integer> columns = header(records.next());
                long row = 0;
                long blankLine = 0;
                while (hasNext(records, parser)) {
                    CSVRecord values = records.next();
                    line = parser.getCurrentLineNumber();
                    if (values.size() == 1 && values.get(0).isBlank()) {
                        blankLine = line;
                        continue;
                    }
                    if (blankLine > 0) {
                        rows.warn(file + ":" + blankLine + ": blank line in the middle, passed over");
                        blankLine = 0;
                    }
                    if (values.size() != columns.size()) {
                        throw new BadTraceException(file + ":" + line + ": must have " + columns.size()
                                + " values like the header, found " + values.size());
                    }
                    rowReader.read(new Fields(file + ":" + line, name -> value(columns, values, name)), ++row);
                }
            }
        });
    }

    private boolean hasNext(Iterator<CSVRecord> records, CSVParser parser) throws IOException {
        try {
            return records.hasNext();
        } catch (UncheckedIOException e) {
            // The parser reports bad quoting in the same way as a file that cannot be read.
            if (e.getCause() instanceof CSVException) {
                throw new BadTraceException(file + ":" + parser.getCurrentLineNumber() + ": must be CSV, found: "
                        + e.getCause().getMessage());
            }
            throw e.getCause();
        }
    }

    private Map<String, Integer> header(CSVRecord names) {
        Map<String, Integer> columns = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i).strip();
            if (columns.put(name, i) != null) {
                throw new BadTraceException(file + ":1: column '" + name + "': must be there once, found twice");
            }
        }
        List<String> missing = new ArrayList<>(required);
        missing.removeAll(columns.keySet());
        if (!missing.isEmpty()) {
            throw new BadTraceException(file + ":1: column" + (missing.size() == 1 ? " '" : "s '")
                    + String.join("', '", missing) + "': must be there, found '"
                    + String.join("', '", columns.keySet()) + "'");
        }
        return columns;
    }

    private static @Nullable String value(Map<String, Integer> columns, CSVRecord values, String name) {
        Integer column = columns.get(name);
        return column == null ? null : values.get(column);
    }
}
