package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.runtime.state.FunctionInitializationContext;

/**
 * The settings that lay in their topic when a graph was built. State that begins anew begins with them, so that the windows of a week, which are read at
 * once, are judged by what holds and not by what has come so far of two topics that are read side by side. With state from before they are left alone.
 *
 * @param byKey settings as they lie in the topic
 */
public record PresentSettings(HashMap<String, byte[]> byKey) implements Serializable {
    private static final long serialVersionUID = 1;

    /** Nothing is set. */
    public static final PresentSettings NONE = new PresentSettings(new HashMap<>());

    /** The last record of each key, in the topic's order. */
    public static PresentSettings of(Iterable<InboundRecord> records) {
        HashMap<String, byte[]> byKey = new HashMap<>();
        for (InboundRecord record : records) {
            String key = LiveSettings.key(record);
            byte[] value = record.value();
            if (value == null) {
                byKey.remove(key);
            } else {
                byKey.put(key, value);
            }
        }
        return new PresentSettings(byKey);
    }

    /** Puts them into the broadcast state of a function that begins without one, but for those that are refused when they come. */
    void begin(FunctionInitializationContext context, String catalogueYaml) throws Exception {
        BroadcastState<String, byte[]> state = context.getOperatorStateStore().getBroadcastState(LiveSettings.STATE);
        if (context.isRestored() || byKey.isEmpty()) {
            return;
        }
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        EventCodec codec = new EventCodec();
        for (Map.Entry<String, byte[]> setting : byKey.entrySet()) {
            if (LiveSettings.isRight(setting.getValue(), catalogue, codec)) {
                state.put(setting.getKey(), setting.getValue());
            }
        }
    }
}
