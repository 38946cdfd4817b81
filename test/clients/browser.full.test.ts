import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { findProgram } from "./system-program.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const executablePath = findProgram(["chromium-headless-shell", "chromium"], "chromium-headless-shell");

const endless = new ByHandUpstream();

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-busy": () => Response.json({ error: { message: "busy" } }, { status: 503, headers: { "retry-after": "7" } }),
  "up-endless": endless.script,
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "busy", "endless"]), env: CANCELS });
const { key: apiKey } = await gateway.makeKey();

/** The page has its own server: another port is another origin, so the browser sends a preflight request before every call. */
const script = await buildScript();
const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: {
    "/": new Response("<!doctype html><title>test</title><script src=/page.js></script>", { headers: { "content-type": "text/html" } }),
    "/page.js": new Response(script, { headers: { "content-type": "text/javascript" } }),
  },
});
const browser = executablePath
  ? await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
      timeout: WAIT_LIMIT_MS,
    })
  : undefined;

afterAll(async () => {
  await browser?.close();
  await site.stop(true);
  await gateway.stop();
  await upstream.stop();
});

async function buildScript(): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dir, "browser-page.ts")], target: "browser", format: "iife" });
  return outputs[0]!.text();
}

async function openPage(): Promise<Page> {
  const page = await browser!.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  await page.goto(site.url.href);
  return page;
}

/** Calls one of the functions of `browser-page.ts`, in the page. */
function callIn(page: Page, name: string, model: string, key = apiKey): Promise<unknown> {
  return page.evaluate(`${name}(${JSON.stringify({ baseURL: gateway.baseUrl, apiKey: key })}, ${JSON.stringify(model)})`);
}

const requestId = expect.stringMatching(/^req_/) as unknown;

describe.skipIf(!browser)("a page of another origin", () => {
  test("gets a completion, and can read its request id", async () => {
    const page = await openPage();
    expect(await callIn(page, "complete", "chat")).toEqual({ text: "Hello world", requestId });
  });

  test("gets a stream in pieces, and can read its request id", async () => {
    const page = await openPage();
    expect(await callIn(page, "stream", "chat")).toEqual({ texts: ["", "Hello", " world", ""], requestId });
  });

  test("gets the model list", async () => {
    const page = await openPage();
    expect(await callIn(page, "listModels", "")).toEqual(["chat", "busy", "endless"]);
  });

  test("can read why it is refused", async () => {
    const page = await openPage();
    const error = await callIn(page, "fail", "chat", "sk-service-wrong");
    expect(error).toEqual({ status: 401, code: "invalid_api_key", requestId, retryAfter: null });
  });

  test("can read when to try again", async () => {
    const page = await openPage();
    expect(await callIn(page, "fail", "busy")).toEqual({ status: 503, code: "overloaded", requestId, retryAfter: "7" });
  });

  test("ends the call to the upstream when it is closed", async () => {
    const page = await openPage();
    const answer = callIn(page, "stream", "endless").catch(() => undefined);
    await page.waitForFunction('globalThis.texts?.at(-1) === "Hello"');
    await page.close();
    await endless.cancelled;
    expect(upstream.last().signal.aborted).toBe(true);
    await answer;
  });
});
