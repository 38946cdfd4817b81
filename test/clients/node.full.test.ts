import { afterAll, describe, expect, test } from "bun:test";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";
import { findProgram } from "./system-program.ts";

/** The other suites run on Bun with its fetch. Most clients run on Node, which has another fetch. */
const node = findProgram(["node"], "nodejs");

const MEGABYTE = 1024 * 1024;

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
});
const gateway = await startGateway({
  yaml: configFor(upstream.baseUrl, ["chat"]),
  env: { TOLLGATE_MAX_BODY_BYTES: String(MEGABYTE) },
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Runs code on Node with `client` and `messages` as variables, and returns the value that it passes to `report`. */
async function runOnNode(code: string): Promise<unknown> {
  const script = `
    import OpenAI from "openai-6";
    const client = new OpenAI({ maxRetries: 0 });
    const messages = [{ role: "user", content: "Hello!" }];
    const report = (value) => console.log(JSON.stringify(value));
    ${code}`;
  const process = Bun.spawn([node!, "--input-type=module", "--eval", script], {
    cwd: ROOT,
    env: { OPENAI_BASE_URL: gateway.baseUrl, OPENAI_API_KEY: key },
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await process.stdout.text()) as unknown;
}

describe.skipIf(!node)("openai on Node", () => {
  test("a completion arrives", async () => {
    const text = await runOnNode(`
      const answer = await client.chat.completions.create({ model: "chat", messages });
      report(answer.choices[0].message.content);`);
    expect(text).toBe("Hello world");
  });

  test("a stream arrives", async () => {
    const texts = await runOnNode(`
      const texts = [];
      const stream = await client.chat.completions.create({ model: "chat", messages, stream: true });
      for await (const chunk of stream) texts.push(chunk.choices[0].delta.content);
      report(texts);`);
    expect(texts).toEqual(["", "Hello", " world", null]);
  });

  test("an upload over the limit always receives 413, not a broken connection", async () => {
    const outcomes = await runOnNode(`
      const large = [{ role: "user", content: "x".repeat(${20 * MEGABYTE}) }];
      const upload = () => client.chat.completions.create({ model: "chat", messages: large }).catch((error) => error);
      const outcomes = [];
      for (let count = 0; count < 10; count++) outcomes.push(await upload());
      report(outcomes.map((outcome) => outcome.status ?? String(outcome.cause?.cause ?? outcome)));`);
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 413));
  });
});
