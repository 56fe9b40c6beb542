package io.inferwatch.schemas;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/** Writes the values of a present event as a release wrote them, with Avro's own means. */
final class OldWriter {
    private OldWriter() {}

    static byte[] write(SpecificRecord event, Schema released) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        new SpecificDatumWriter<SpecificRecord>(event.getSchema())
                .write(event, org.apache.avro.io.EncoderFactory.get().directBinaryEncoder(body, null));
        GenericRecord old = new GenericDatumReader<GenericRecord>(event.getSchema(), released)
                .read(null, DecoderFactory.get().binaryDecoder(body.toByteArray(), null));
        ByteArrayOutputStream framed = new ByteArrayOutputStream();
        new BinaryMessageEncoder<GenericRecord>(GenericData.get(), released).encode(old, framed);
        return framed.toByteArray();
    }
}
