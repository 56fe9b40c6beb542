package io.inferwatch.probes.replay;

/** The kinds of files that can be replayed. */
public enum TraceFormat {
    /** Sessions of coding agents: CSV with session, agent, t_s, tokens, api_time_s, ttft_s. */
    AGENTIC,
    /** Single results of LLMPerf: CSV with latencies, tokens and error codes, without times. */
    LLMPERF,
    /** Azure's inference traces: CSV with arrival and token counts. */
    AZURE,
    /** Mooncake's traces: JSON lines with arrival, token counts and prefix blocks. */
    MOONCAKE,
    /** BurstGPT: CSV of six or eight columns. */
    BURSTGPT,
    /** RAGPulse: JSON lines with arrival as text, token counts and sessions. */
    RAGPULSE,
    /** Inferwatch's own RequestEvents as JSON lines. */
    JSONL;

    TraceReader reader(TraceOptions options, TraceRows rows) {
        return switch (this) {
            case AGENTIC -> new AgenticReader(rows);
            case LLMPERF -> new LlmPerfReader(rows);
            case AZURE -> new AzureReader(options, rows);
            case MOONCAKE -> new MooncakeReader(options, rows);
            case BURSTGPT -> new BurstGptReader(options, rows);
            case RAGPULSE -> new RagPulseReader(options, rows);
            case JSONL -> new EventLinesReader(rows);
        };
    }
}
