package io.inferwatch.probes.replay;

import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sessions of coding agents, one request a row: {@code t_s} is the start within the session, {@code api_time_s} the E2E time,
 * {@code ttft_s} the time to the first token where the answer was streamed. A row without api_time_s is a request whose latency was not
 * recorded, not a failed one.
 *
 * <ul>
 *   <li>A conversation is one agent of one session; its turns count from 1 in the order of the file, because the file's own number also
 *       counts sub-agents.
 *   <li>Of the prompt, the blocks of 64 tokens shared with the agent's former request count as cached; that is an estimate and marked so.
 *   <li>The file has no absolute times. Sessions are laid over the span of the longest: each starts at the share
 *       {@code hash("start", session)} of the room that its own length leaves. A sub-agent's clock starts anew at 0; it is set to the end
 *       of the row of its main agent that stands before it.
 * </ul>
 */
final class AgenticReader implements TraceReader {
    private static final long TOKENS_PER_BLOCK = 64;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final String MAIN = "main";

    private static final List<String> COLUMNS = List.of(
            "session",
            "agent",
            "t_s",
            "kind",
            "model",
            "input_tokens",
            "output_tokens",
            "shared_prefix_blocks_prev",
            "stop",
            "api_time_s",
            "ttft_s");

    private final TraceRows rows;
    private final Map<String, Session> sessions = new HashMap<>();

    private static final class Session {
        private final List<RequestEvent> requests = new ArrayList<>();
        private final Map<String, Integer> turns = new HashMap<>();
        private final Map<String, Long> agentStarts = new HashMap<>();
        private long mainEndMicros;
        private long lengthMicros;
    }

    AgenticReader(TraceRows rows) {
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        new CsvTable(file, COLUMNS, rows).read(this::read);
    }

    @Override
    public void finish() {
        long longest = sessions.values().stream()
                .mapToLong(session -> session.lengthMicros)
                .max()
                .orElse(0);
        sessions.forEach((name, session) -> {
            long start = (long) (Placement.share("start", name) * (longest - session.lengthMicros));
            for (RequestEvent request : session.requests) {
                request.setStartedAtMicros(request.getStartedAtMicros() + start);
                request.setCompletedAtMicros(request.getCompletedAtMicros() + start);
            }
        });
    }

    private void read(Fields fields, long row) {
        String sessionName = fields.requiredText("session");
        String agent = fields.requiredText("agent");
        Session session = sessions.computeIfAbsent(sessionName, name -> new Session());
        RequestEvent event = rows.blank();
        event.setTurn(session.turns.merge(agent, 1, Integer::sum));
        event.setSession(Placement.digits("session", sessionName + "/" + agent));
        event.setModel(fields.text("model"));
        event.setPromptTokens(fields.count("input_tokens"));
        event.setOutputTokens(fields.count("output_tokens"));
        event.setFinishReason(fields.text("stop"));
        event.setStreaming("s".equals(fields.text("kind")));
        event.setE2eMicros(fields.seconds("api_time_s"));
        event.setTtftMicros(fields.seconds("ttft_s"));
        Long sharedBlocks = fields.count("shared_prefix_blocks_prev");
        if (sharedBlocks != null && event.getPromptTokens() != null) {
            event.setCachedTokens(Math.min(event.getPromptTokens(), sharedBlocks * TOKENS_PER_BLOCK));
            rows.mark(event, Mark.ESTIMATED_CACHE);
        }
        if (event.getOutputTokens() != null && event.getOutputTokens() == 0) {
            rows.mark(event, Mark.ZERO_OUTPUT);
        }
        long agentStart =
                agent.equals(MAIN) ? 0 : session.agentStarts.computeIfAbsent(agent, name -> session.mainEndMicros);
        rows.add(event, row, agentStart + fields.requiredMicros("t_s", MICROS_PER_SECOND), sessionName);
        if (agent.equals(MAIN)) {
            session.mainEndMicros = event.getCompletedAtMicros();
        }
        session.lengthMicros = Math.max(session.lengthMicros, event.getCompletedAtMicros());
        session.requests.add(event);
    }
}
