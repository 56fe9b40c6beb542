package io.inferwatch.probes.gpu.nvml;

import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The functions of the library by their names. One that an older library lacks answers {@link NvmlStatus#FUNCTION_NOT_FOUND}, as NVML itself says it. The buffers for
 * small values are shared by all calls: for one thread at a time.
 */
final class NvmlLibrary {
    private static final int TEXT_BYTES = 128;

    private final NativeLibrary library;
    private final Map<String, Optional<Function>> functions = new HashMap<>();
    private final IntByReference uint = new IntByReference();
    private final IntByReference secondUint = new IntByReference();
    private final LongByReference ulong = new LongByReference();
    private final Memory text = new Memory(TEXT_BYTES);

    private NvmlLibrary(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Loads it as the system's linker finds it.
     *
     * @throws NvmlException when it is not there, or nothing native can be loaded here at all
     */
    static NvmlLibrary load(String name) throws NvmlException {
        try {
            // JNA goes on to search the class path, and with it perhaps the working directory; the platform's loader
            // has neither.
            return new NvmlLibrary(NativeLibrary.getInstance(
                    name, Map.of(Library.OPTION_CLASSLOADER, ClassLoader.getPlatformClassLoader())));
        } catch (LinkageError e) {
            throw new NvmlException(
                    NvmlStatus.LIBRARY_NOT_FOUND, "NVML not found: " + reason(name, e) + "; GPU fields will be empty");
        }
    }

    NvmlStatus call(String name, Object... arguments) {
        Optional<Function> function = functions.computeIfAbsent(name, this::find);
        return function.isPresent()
                ? NvmlStatus.of(function.get().invokeInt(arguments))
                : NvmlStatus.FUNCTION_NOT_FOUND;
    }

    /** A call whose last argument is where an unsigned int goes. */
    Answer<Long> uint(String name, Object... arguments) {
        return uintOf(call(name, with(arguments, uint)));
    }

    /** A call with a second unsigned int behind the one that is wanted. */
    Answer<Long> firstUint(String name, Object... arguments) {
        return uintOf(call(name, with(arguments, uint, secondUint)));
    }

    /** A call whose last argument is where an unsigned long long goes; what does not fit a long comes out negative. */
    Answer<Long> ulong(String name, Object... arguments) {
        NvmlStatus status = call(name, with(arguments, ulong));
        return status == NvmlStatus.SUCCESS ? new Answer.Value<>(ulong.getValue()) : new Answer.Refused<>(status);
    }

    /** A call whose last arguments are a buffer and its length. */
    Answer<String> text(String name, Object... arguments) {
        NvmlStatus status = call(name, with(arguments, text, TEXT_BYTES));
        return status == NvmlStatus.SUCCESS
                ? new Answer.Value<>(text.getString(0, StandardCharsets.US_ASCII.name()))
                : new Answer.Refused<>(status);
    }

    /** A call whose last argument is where a handle goes. */
    Answer<Pointer> handle(String name, Object... arguments) {
        text.setPointer(0, Pointer.NULL);
        NvmlStatus status = call(name, with(arguments, text));
        return status == NvmlStatus.SUCCESS ? new Answer.Value<>(text.getPointer(0)) : new Answer.Refused<>(status);
    }

    /** A call that fills a structure of whole words. */
    Answer<Memory> filled(Memory structure, String name, Object... arguments) {
        NvmlStatus status = call(name, with(arguments, structure));
        return status == NvmlStatus.SUCCESS ? new Answer.Value<>(structure) : new Answer.Refused<>(status);
    }

    /** A structure with the version that its first word must tell: its size and a number. */
    static Memory versioned(long bytes, int version) {
        Memory structure = new Memory(bytes);
        structure.clear();
        structure.setInt(0, (int) bytes | version << 24);
        return structure;
    }

    void dispose() {
        library.close();
    }

    private Answer<Long> uintOf(NvmlStatus status) {
        return status == NvmlStatus.SUCCESS
                ? new Answer.Value<>(Integer.toUnsignedLong(uint.getValue()))
                : new Answer.Refused<>(status);
    }

    private Optional<Function> find(String name) {
        try {
            return Optional.of(library.getFunction(name));
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty();
        }
    }

    private static Object[] with(Object[] arguments, Object... last) {
        Object[] all = new Object[arguments.length + last.length];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(last, 0, all, arguments.length, last.length);
        return all;
    }

    /** The linker's own words: the last line that names the library, without JNA's repetitions. */
    private static String reason(String name, LinkageError error) {
        return String.valueOf(error.getMessage())
                .lines()
                .map(String::trim)
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElseGet(() -> name + " cannot be loaded (" + error.toString().replaceAll("\\s+", " ") + ")");
    }
}
