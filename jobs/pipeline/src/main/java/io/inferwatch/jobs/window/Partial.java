package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.CompactType;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * One source task's part of one pane of one series. Immutable.
 *
 * @param view name of the view
 * @param values the view's dimension values, in its order
 * @param paneEndMillis end of the pane, exclusive, epoch milliseconds
 * @param content encoded {@link WindowContent}
 */
record Partial(String view, String[] values, long paneEndMillis, byte[] content) {

    /** The series' name, the key of the roll-up. */
    String series() {
        return Series.name(view, values);
    }

    /** The same part of another series of the view. */
    Partial withValues(String[] others) {
        return new Partial(view, others, paneEndMillis, content);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Partial partial
                && view.equals(partial.view)
                && Arrays.equals(values, partial.values)
                && paneEndMillis == partial.paneEndMillis
                && Arrays.equals(content, partial.content);
    }

    @Override
    public int hashCode() {
        return Objects.hash(view, Arrays.hashCode(values), paneEndMillis, Arrays.hashCode(content));
    }

    @Override
    public String toString() {
        return series() + "@" + paneEndMillis;
    }

    static TypeInformation<Partial> type() {
        return new CompactType<>(Partial.class, Serializer.INSTANCE);
    }

    /** Compact bytes of partials; version in the snapshot. */
    static final class Serializer extends TypeSerializerSingleton<Partial> {
        static final Serializer INSTANCE = new Serializer();
        private static final long serialVersionUID = 1;

        @Override
        public boolean isImmutableType() {
            return true;
        }

        @Override
        public Partial createInstance() {
            return new Partial("", new String[0], 0, new byte[0]);
        }

        @Override
        public Partial copy(Partial from) {
            return from;
        }

        @Override
        public Partial copy(Partial from, Partial reuse) {
            return from;
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public void serialize(Partial partial, DataOutputView target) throws IOException {
            target.writeUTF(partial.view);
            target.writeByte(partial.values.length);
            for (String value : partial.values) {
                target.writeUTF(value);
            }
            target.writeLong(partial.paneEndMillis);
            target.writeInt(partial.content.length);
            target.write(partial.content);
        }

        @Override
        public Partial deserialize(DataInputView source) throws IOException {
            String view = source.readUTF();
            String[] values = new String[source.readUnsignedByte()];
            for (int i = 0; i < values.length; i++) {
                values[i] = source.readUTF();
            }
            long paneEndMillis = source.readLong();
            byte[] content = new byte[source.readInt()];
            source.readFully(content);
            return new Partial(view, values, paneEndMillis, content);
        }

        @Override
        public Partial deserialize(Partial reuse, DataInputView source) throws IOException {
            return deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) throws IOException {
            serialize(deserialize(source), target);
        }

        @Override
        public TypeSerializerSnapshot<Partial> snapshotConfiguration() {
            return new Snapshot();
        }

        /** The present layout. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<Partial> {
            /** Called by Flink. */
            public Snapshot() {
                super(() -> INSTANCE);
            }
        }
    }
}
