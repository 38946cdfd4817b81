import OpenAI, { APIError } from "openai";
import { createCountedFetch } from "../../../test/clients/counted-fetch.ts";
import { clientOf, post, user, type ErrorBody } from "../calls.ts";
import type { Expectations } from "../expectations.ts";
import { FIRST_UPSTREAM, MODEL, PLAIN_MODEL, type Check, type Trial } from "../trial.ts";

/** An image of one pixel. */
const PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const WITH_IMAGE: OpenAI.ChatCompletionMessageParam = {
  role: "user",
  content: [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: PIXEL } },
  ],
};

const WITH_AUDIO: OpenAI.ChatCompletionMessageParam = {
  role: "user",
  content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
};

/** Another route may have a model that reads images, so each route may be called once. */
const ROUTES: Readonly<Record<string, number>> = { [MODEL]: 2, [PLAIN_MODEL]: 1 };

/** llama.cpp rejects media that the model cannot read with 500 `server_error`, as if it had failed. */
function media(what: string, model: string, message: OpenAI.ChatCompletionMessageParam, stream: boolean): Check {
  return {
    name: `${what}: rejected with the server's reason, after one attempt per route${stream ? ", streamed" : ""}, ${model}`,
    async run(trial, expect) {
      const { text, status, headers } = await post(trial, { model, messages: [message], max_tokens: 4, stream });
      expect.equal("status", status, 400);
      expect.contains("message", (JSON.parse(text) as ErrorBody).error?.message ?? text, `${what} input is not supported`);
      const attempts = headers.get("x-tollgate-attempts");
      expect.that("x-tollgate-attempts", Number(attempts) <= ROUTES[model]!, `${ROUTES[model]} at most`, attempts);
    },
  };
}

const eightImages: Check = {
  name: "image: eight of them leave the route healthy, and are not retried by the SDK",
  async run(trial, expect) {
    const counted = createCountedFetch();
    const client = clientOf(trial, counted);
    const statuses = [];
    for (let sent = 0; sent < 8; sent++) {
      const reply = client.chat.completions.create({ model: MODEL, messages: [WITH_IMAGE], max_tokens: 4 });
      statuses.push(await reply.then(() => 200).catch((error: unknown) => (error instanceof APIError ? error.status : String(error))));
    }
    expect.equal("statuses", statuses, Array(8).fill(400));
    expect.equal("HTTP requests by the SDK", counted.sent, 8);
    const { status, headers } = await post(trial, { model: MODEL, messages: user("Hi"), max_tokens: 2 });
    expect.equal("text request after them", [status, headers.get("x-tollgate-upstream")], [200, FIRST_UPSTREAM]);
    await expectHealthy(trial, expect);
  },
};

interface Health {
  readonly models: readonly { readonly state: string; readonly recent_failures: number }[];
}

async function expectHealthy({ gateway }: Trial, expect: Expectations): Promise<void> {
  const { models } = await gateway.platform<Health>("GET", `/api/upstreams/${FIRST_UPSTREAM}/health`);
  const states = models.map(({ state, recent_failures: failures }) => ({ state, failures }));
  expect.equal(`health of ${FIRST_UPSTREAM}`, states, [{ state: "healthy", failures: 0 }]);
}

function tooLong(stream: boolean): Check {
  return {
    name: `prompt beyond the context${stream ? ", streamed" : ""}: 400 context_length_exceeded after one attempt`,
    async run(trial, expect) {
      const { status, headers, text } = await post(trial, { model: MODEL, messages: user("word ".repeat(3_000)), max_tokens: 4, stream });
      const { error } = JSON.parse(text) as ErrorBody;
      expect.equal("status and code", [status, error?.code], [400, "context_length_exceeded"]);
      expect.contains("message", error?.message ?? text, "exceeds the available context size (512 tokens)");
      expect.equal("x-tollgate-attempts", headers.get("x-tollgate-attempts"), "1");
    },
  };
}

export const REJECTIONS: readonly Check[] = [
  media("image", MODEL, WITH_IMAGE, false),
  media("image", MODEL, WITH_IMAGE, true),
  media("audio", MODEL, WITH_AUDIO, false),
  media("image", PLAIN_MODEL, WITH_IMAGE, false),
  eightImages,
  tooLong(false),
  tooLong(true),
];
