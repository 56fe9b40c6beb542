package io.inferwatch.probes.corpus;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Locale;

/** Forms in which applications send the same prompt. What a form costs in tokens is measured where the server counts them, and told by the corpus for its own vocabulary. */
public enum PromptStructure {
    /** As it stands. */
    PLAIN {
        @Override
        public String of(String prompt) {
            return prompt;
        }
    },
    /** As a value beside a schema of the answer. */
    JSON {
        @Override
        public String of(String prompt) {
            return "{\"task\":\"answer\",\"input\":{\"type\":\"text\",\"value\":\""
                    + new String(JsonStringEncoder.getInstance().quoteAsString(prompt))
                    + "\"},\"schema\":{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\"},"
                    + "\"confidence\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1}},\"required\":[\"answer\"]}}";
        }
    },
    /** As elements with comments. */
    XML {
        @Override
        public String of(String prompt) {
            return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<request>\n  <!-- What is to be done -->\n"
                    + "  <task type=\"answer\"/>\n  <!-- The text of the user, as it came -->\n  <input>\n    <value>"
                    + prompt.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                    + "</value>\n  </input>\n  <!-- The answer's form -->\n  <output>\n    <answer type=\"string\"/>\n"
                    + "    <confidence type=\"number\" minimum=\"0\" maximum=\"1\"/>\n  </output>\n</request>";
        }
    };

    /** The prompt in this form. */
    public abstract String of(String prompt);

    /** Its name in headers, events and options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
