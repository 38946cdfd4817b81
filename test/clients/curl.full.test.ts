import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { CANCELS, startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { findProgram } from "./system-program.ts";

const curl = findProgram(["curl"], "curl");

let byHand = manualStream();

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-by-hand": () => {
    byHand = manualStream();
    return rawEvents(byHand.stream);
  },
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "by-hand"]), env: CANCELS });
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const env = { PATH: process.env["PATH"] ?? "" };
const address = new URL(gateway.baseUrl).origin;
const answer = JSON.stringify(completion({}, { model: "chat" }));

/** By default curl waits one second for 100 Continue, and then sends the body without it. */
const PATIENT = ["--expect100-timeout", "60"];

interface CurlCall {
  readonly path?: string;
  readonly key?: string;
  readonly body?: string;
  readonly options?: readonly string[];
}

function startCurl(call: CurlCall): Bun.Subprocess<Buffer, "pipe", "pipe"> {
  const headers = ["-H", `Authorization: Bearer ${call.key ?? key}`, "-H", "Content-Type: application/json"];
  const url = `${address}${call.path ?? "/v1/chat/completions"}`;
  const command = [curl!, "--silent", "--show-error", ...headers, "--data-binary", "@-", ...(call.options ?? []), url];
  return Bun.spawn(command, { env, stdin: Buffer.from(call.body ?? bodyOf()), stdout: "pipe", stderr: "pipe" });
}

async function runCurl(call: CurlCall = {}): Promise<string> {
  const process = startCurl(call);
  const [output, trouble] = await Promise.all([process.stdout.text(), process.stderr.text()]);
  if ((await process.exited) !== 0) throw new Error(trouble);
  return output;
}

/** Runs a command as a person would paste it into a terminal. */
async function paste(command: string): Promise<string> {
  return Bun.spawn(["sh", "-c", command], { env, stdout: "pipe", stderr: "ignore" }).stdout.text();
}

function bodyOf(changes: object = {}): string {
  return JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello!" }], ...changes });
}

function bodyOfMegabytes(megabytes: number): string {
  return bodyOf({ messages: [{ role: "user", content: "x".repeat(megabytes * 1024 * 1024) }] });
}

/** The events that a client receives for these chunks. */
function eventsOf(model: string, chunks: readonly string[]): string {
  return chunks.map((each) => `data: ${each.replace('"up-model"', JSON.stringify(model))}\n\n`).join("");
}

/** The output of a process so far. */
function collect(stream: ReadableStream<Uint8Array>): { text: string; ended: Promise<void> } {
  const collected = { text: "", ended: Promise.resolve() };
  const utf8 = new TextDecoder();
  const read = async (): Promise<void> => {
    for await (const bytes of stream) collected.text += utf8.decode(bytes, { stream: true });
  };
  collected.ended = read();
  return collected;
}

describe.skipIf(!curl)("curl", () => {
  test("a completion has the bytes of the upstream, except the model name", async () => {
    expect(await runCurl()).toBe(answer);
  });

  test("a stream consists of data events and ends with data: [DONE]", async () => {
    const output = await runCurl({ body: bodyOf({ stream: true }), options: ["--no-buffer"] });
    expect(output).toBe(`${eventsOf("chat", GOOD_CHUNKS.slice(0, -1))}data: [DONE]\n\n`);
  });

  test("each event of a stream arrives when it is sent, not when the stream ends", async () => {
    const seenBefore = upstream.requests.length;
    const output = collect(startCurl({ body: bodyOf({ model: "by-hand", stream: true }), options: ["--no-buffer"] }).stdout);
    await waitFor(() => upstream.requests.length > seenBefore);
    let expected = "";
    for (const event of GOOD_CHUNKS.slice(0, -1)) {
      byHand.write(`data: ${event}\n\n`);
      expected += eventsOf("by-hand", [event]);
      await waitFor(() => output.text.length >= expected.length);
      expect(output.text).toBe(expected);
    }
    byHand.end();
    await output.ended;
    expect(output.text).toBe(`${expected}data: [DONE]\n\n`);
  });

  test("stopping curl cancels the upstream call", async () => {
    const seenBefore = upstream.requests.length;
    const process = startCurl({ body: bodyOf({ model: "by-hand", stream: true }) });
    await waitFor(() => upstream.requests.length > seenBefore);
    process.kill();
    await byHand.cancelled;
    expect(upstream.last().signal.aborted).toBe(true);
  });

  test("a body that waits for 100 Continue is requested and arrives complete", async () => {
    const body = bodyOfMegabytes(3);
    const output = await runCurl({ body, options: ["--include", ...PATIENT, "-H", "Expect: 100-continue"] });
    expect(output).toStartWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n");
    expect(output).toEndWith(`\r\n\r\n${answer}`);
    expect(upstream.last().text === body.replace('"chat"', '"up-chat"')).toBe(true);
  });

  test.each([
    { how: "of announced size", header: "Expect:" },
    { how: "that waits for 100 Continue", header: "Expect: 100-continue" },
    { how: "of unknown size", header: "Transfer-Encoding: chunked" },
  ])("a body over the limit, $how, is refused in words", async ({ header }) => {
    const output = await runCurl({ body: bodyOfMegabytes(30), options: ["--include", ...PATIENT, "-H", header] });
    expect(output).toContain("HTTP/1.1 413 ");
    expect(output).toContain('"code":"request_too_large"');
  });

  test("rejects a wrong key with a challenge and a request ID", async () => {
    const output = await runCurl({ key: "sk-service-wrong", options: ["--include"] });
    expect(output).toStartWith("HTTP/1.1 401 ");
    expect(output).toMatch(/^www-authenticate: Bearer\r$/im);
    expect(output).toMatch(/^x-request-id: req_[\w-]+\r$/im);
    expect(output).toContain('"code":"invalid_api_key"');
  });

  test("accepts a trailing slash in the path of a completion", async () => {
    expect(await runCurl({ path: "/v1/chat/completions/" })).toBe(answer);
  });

  test.each(["//v1/chat/completions", "/v1//chat/completions", "/v1/chat//completions//", "/chat/completions"])(
    "%s receives a 404 that names the right base URL",
    async (path) => {
      const { error } = JSON.parse(await runCurl({ path })) as { error: { code: string; message: string } };
      expect([error.code, error.message]).toEqual(["unknown_url", expect.stringContaining("base URL must end in /v1") as string]);
    },
  );

  test.each(["/v1/models", "/v1/models/"])("the model list is at %s", async (path) => {
    const list = JSON.parse(await runCurl({ path, body: "", options: ["--get"] })) as { data: { id: string }[] };
    expect(list.data.map((model) => model.id)).toEqual(["chat", "by-hand"]);
  });

  test("the command that a first run prints works as pasted, and as a stream", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-first-run-"));
    const firstRun = Bun.spawn([launcher(), "start"], {
      cwd: folder,
      env: { ...env, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const printed = collect(firstRun.stdout);
    try {
      const command = await waitFor(() => /^curl [^]*?(?=\n\n)/m.exec(printed.text)?.[0], firstRun.exited);
      const whole = JSON.parse(await paste(command)) as { choices: { message: { content: string } }[] };
      expect(whole.choices[0]?.message.content).toBe("This is only an echo, not a language model. You said: Hello!");
      const streamed = await paste(command.replace('{"model"', '{"stream": true, "model"'));
      expect(streamed).toMatch(/^data: \{.*"content":"This"/);
      expect(streamed).toEndWith("data: [DONE]\n\n");
      const answered = await waitFor(() => logLines(printed.text).length >= 2 && logLines(printed.text));
      expect(answered).toMatchObject([{ status: 200 }, { status: 200, end: "complete" }]);
    } finally {
      firstRun.kill();
      await printed.ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function logLines(printed: string): unknown[] {
  return printed.split("\n").flatMap((line) => (line.startsWith('{"time"') ? [JSON.parse(line) as unknown] : []));
}
