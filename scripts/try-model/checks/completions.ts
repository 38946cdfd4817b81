import { clientOf, eventsIn, expectMeasured, post, receiptOf, user, type Usage } from "../calls.ts";
import { FIRST_UPSTREAM, MODEL, type Check } from "../trial.ts";

const jsonCompletion: Check = {
  name: "JSON: answered, and charged exactly as measured",
  async run(trial, expect) {
    const request = { model: MODEL, messages: user("Say hello."), max_tokens: 8 };
    const { data, response, request_id: requestId } = await clientOf(trial).chat.completions.create(request).withResponse();
    const [choice] = data.choices;
    expect.that("content", (choice?.message.content ?? "") !== "", "text", data);
    expect.that("finish_reason", ["stop", "length"].includes(choice?.finish_reason ?? ""), "stop or length", choice?.finish_reason);
    expect.equal("model", data.model, MODEL);
    expect.equal("x-tollgate-upstream", response.headers.get("x-tollgate-upstream"), FIRST_UPSTREAM);
    expectMeasured(expect, await receiptOf(trial, requestId!), data.usage!);
  },
};

const streamedCompletion: Check = {
  name: "stream: chunks, one usage chunk, [DONE], and charged exactly as measured",
  async run(trial, expect) {
    const reply = await post(trial, {
      model: MODEL,
      messages: user("Say hello."),
      max_tokens: 8,
      stream: true,
      stream_options: { include_usage: true },
    });
    const events = eventsIn(reply.text);
    expect.equal("last event", events.at(-1), "[DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event) as Chunk);
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    const finishReasons = chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter((reason) => typeof reason === "string");
    expect.that("content", text !== "", "text", reply.text);
    expect.equal("number of finish reasons", finishReasons.length, 1);
    const counted = chunks.filter((chunk) => chunk.usage);
    expect.equal("number of usage chunks", counted.length, 1);
    expectMeasured(expect, await receiptOf(trial, reply.requestId), counted.at(-1)!.usage!);
  },
};

/** The server announces `Keep-Alive: timeout=5, max=100` with a stream too, but closes the connection right after its last byte. */
const afterStream: Check = {
  name: "keep-alive: a request right after a stream, whose connection the server has closed",
  async run(trial, expect) {
    const failures: string[] = [];
    for (let round = 0; round < 10; round++) {
      await post(trial, { model: MODEL, messages: user("Hi"), max_tokens: 1, stream: true });
      const { status, headers, text } = await post(trial, { model: MODEL, messages: user("Hi"), max_tokens: 1 });
      if (status !== 200 || headers.get("x-tollgate-attempts") !== "1") failures.push(`${round}: ${status} ${text}`);
    }
    expect.equal("requests that failed, or took a second attempt", failures, []);
  },
};

const manyInSequence: Check = {
  name: "keep-alive: 120 requests in sequence, though the server closes a connection after 100",
  async run(trial, expect) {
    const failures: string[] = [];
    for (let sent = 0; sent < 120; sent++) {
      const { status, headers, text } = await post(trial, { model: MODEL, messages: user("Hi"), max_tokens: 1 });
      if (status !== 200 || headers.get("x-tollgate-attempts") !== "1") failures.push(`${sent}: ${status} ${text}`);
    }
    expect.equal("requests that failed, or took a second attempt", failures, []);
  },
};

const idleConnection: Check = {
  name: "keep-alive: a request after the server has closed an idle connection",
  async run(trial, expect) {
    // The server announces `Keep-Alive: timeout=5`.
    await Bun.sleep(6_000);
    const { status, headers } = await post(trial, { model: MODEL, messages: user("Hi"), max_tokens: 1 });
    expect.equal("status and attempts", [status, headers.get("x-tollgate-attempts")], [200, "1"]);
  },
};

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null }; readonly finish_reason?: string | null }[];
  readonly usage?: Usage | null;
}

export const COMPLETIONS: readonly Check[] = [jsonCompletion, streamedCompletion, afterStream, idleConnection, manyInSequence];
