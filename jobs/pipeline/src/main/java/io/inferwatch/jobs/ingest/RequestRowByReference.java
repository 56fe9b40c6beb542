package io.inferwatch.jobs.ingest;

import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Hands {@link RequestRow}s from operator to operator by reference. A graph in which a row would have to be serialised, because an
 * operator is not chained to the source, fails with its first record and says so.
 */
final class RequestRowByReference extends TypeSerializerSingleton<RequestRow> {
    static final RequestRowByReference INSTANCE = new RequestRowByReference();
    private static final long serialVersionUID = 1;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public RequestRow createInstance() {
        throw leavesChain();
    }

    @Override
    public RequestRow copy(RequestRow from) {
        return from;
    }

    @Override
    public RequestRow copy(RequestRow from, RequestRow reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(RequestRow row, DataOutputView target) {
        throw leavesChain();
    }

    @Override
    public RequestRow deserialize(DataInputView source) {
        throw leavesChain();
    }

    @Override
    public RequestRow deserialize(RequestRow reuse, DataInputView source) {
        throw leavesChain();
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) {
        throw leavesChain();
    }

    @Override
    public TypeSerializerSnapshot<RequestRow> snapshotConfiguration() {
        return new Snapshot();
    }

    private static IllegalStateException leavesChain() {
        return new IllegalStateException(
                "a request row must stay in the chain behind its source; is chaining switched off?");
    }

    /** Nothing of rows is ever stored. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<RequestRow> {
        /** Called by Flink. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
