import { expect, test } from "bun:test";
import { hintForUnknownUrl } from "./app.ts";

test.each<[string, string | undefined]>([
  ["/v1/responses", 'set_default_openai_api("chat_completions")'],
  ["/v1/responses/resp_1/cancel", "use_responses_api=False"],
  ["/responses", "openai.chat(…)"],
  ["/v1/messages", "a client of the OpenAI format"],
  ["/v1/messages/count_tokens", "a client of the OpenAI format"],
  ["/v1/completions", "Only chat completions are supported"],
  ["/v1/embeddings", "tollgate endpoints enable embeddings"],
  [
    "/chat/completions",
    "base URL must end in /v1: exactly one, without a trailing slash. The URL of this call would then be /v1/chat/completions",
  ],
  ["/models", "would then be /v1/models"],
  ["/v1/v1/chat/completions", "would then be /v1/chat/completions"],
  ["/v1/chat/completions/chat/completions", "would then be /v1/chat/completions"],
  ["/v1//chat/completions", "would then be /v1/chat/completions"],
  ["/v1/chat//completions//", "would then be /v1/chat/completions"],
  ["//v1//chat//completions", "would then be /v1/chat/completions"],
  ["/v1/audio/speech", undefined],
  ["/v1/models/m", undefined],
  ["/v1/responses-of-mine", undefined],
])("%s: %s", (path, hint) => {
  const said = hintForUnknownUrl(path);
  if (hint === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(hint);
  if (said !== undefined) expect(said).toEndWith(" See docs/errors.md#wrong-urls.");
});
