package io.inferwatch.probes.replay;

/** The kinds of files that can be replayed. */
public enum TraceFormat {
    /** Sessions of coding agents: CSV with session, agent, t_s, tokens, api_time_s, ttft_s. */
    AGENTIC(AgenticReader::new),
    /** Single results of LLMPerf: CSV with latencies, tokens and error codes, without times. */
    LLMPERF(LlmPerfReader::new),
    /** Azure's inference traces: CSV with arrival and token counts. */
    AZURE(AzureReader::new),
    /** Mooncake's traces: JSON lines with arrival, token counts and prefix blocks. */
    MOONCAKE(MooncakeReader::new),
    /** BurstGPT: CSV of six or eight columns. */
    BURSTGPT(BurstGptReader::new),
    /** RAGPulse: JSON lines with arrival as text, token counts and sessions. */
    RAGPULSE(RagPulseReader::new),
    /** Inferwatch's own RequestEvents as JSON lines. */
    JSONL(EventLinesReader::new);

    interface ReaderFactory {
        TraceReader reader(TraceOptions options, TraceRows rows);
    }

    private final ReaderFactory factory;

    TraceFormat(ReaderFactory factory) {
        this.factory = factory;
    }

    TraceReader reader(TraceOptions options, TraceRows rows) {
        return factory.reader(options, rows);
    }
}
