import { accountNow } from "../../../test/money/ledger-of.ts";
import { waitFor } from "../../../test/support/gateway/start-gateway.ts";
import { eventsIn, post, receiptOf, user } from "../calls.ts";
import { startModelServer } from "../model-server.ts";
import { PLAIN_MODEL, type Check, type Trial } from "../trial.ts";

/** Long enough that its estimate shows in the charge. */
const PROMPT = `Tell a long story. ${"It has a happy end. ".repeat(8)}`;

const killedStream: Check = {
  name: "server killed in the middle of a stream: an error frame without [DONE], and only the output charged",
  async run(trial, expect) {
    const { text, requestId } = await streamAndKill(trial);
    const events = eventsIn(text);
    expect.that("last event", "error" in (JSON.parse(events.at(-1)!) as object), "an error", events.at(-1));
    expect.equal("number of [DONE]", events.filter((event) => event === "[DONE]").length, 0);
    const { state, usage, lines } = await receiptOf(trial, requestId);
    expect.equal("state", state, "settled");
    const bytes = Buffer.byteLength(events.slice(0, -1).map(contentOf).join(""));
    const isCharged = usage.completion_tokens > 0 && usage.completion_tokens <= bytes;
    expect.that("output tokens charged", isCharged, `1 to ${bytes}, a token having a byte at least`, usage);
    expect.equal("kinds of tokens charged", lines.map(({ kind }) => kind).join(), "output");
    expect.equal("nano-dollars held", String((await accountNow(trial.gateway)).heldNanos), "0");
  },
};

/** Runs after `killedStream`, when no server runs. */
const recovery: Check = {
  name: "server started again: requests are answered without any action of an operator",
  async run(trial, expect) {
    trial.server = await startModelServer(trial.python, trial.server.port);
    const request = { model: PLAIN_MODEL, messages: user("Hi"), max_tokens: 2 };
    let status = 0;
    for (let left = 60; left > 0 && status !== 200; left--) {
      ({ status } = await post(trial, request));
      if (status !== 200) await Bun.sleep(1_000);
    }
    expect.equal("status", status, 200);
  },
};

function contentOf(event: string): string {
  const { choices } = JSON.parse(event) as { choices: { delta: { content?: string | null } }[] };
  return choices[0]?.delta.content ?? "";
}

interface CutStream {
  readonly text: string;
  readonly requestId: string;
}

/** Kills the server after a few tokens were received, and reads until the gateway ends its reply. */
async function streamAndKill({ gateway, key, server }: Trial): Promise<CutStream> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: PLAIN_MODEL, messages: user(PROMPT), max_tokens: 200, ignore_eos: true, stream: true }),
  });
  const utf8 = new TextDecoder();
  let text = "";
  const reading = (async () => {
    for await (const bytes of response.body!) text += utf8.decode(bytes, { stream: true });
  })();
  await waitFor(() => eventsIn(text).length > 8);
  await server.kill();
  await reading;
  return { text, requestId: response.headers.get("x-request-id")! };
}

export const KILLED_STREAM: readonly Check[] = [killedStream, recovery];
