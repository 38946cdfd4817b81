import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { chunk, completion, events, startMockUpstream, TEST_PRICE, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { ROOT, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { axeViolations } from "./axe-violations.ts";
import { goTo, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();
const THEMES = ["light", "dark"] as const;

/** A red pixel. */
const PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>";

const toolCall = (id: string, name: string, given: string): object => ({ id, type: "function", function: { name, arguments: given } });

const CONVERSATION = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: `What is on this picture? ${HOSTILE}` },
      { type: "image_url", image_url: { url: PNG } },
      { type: "image_url", image_url: { url: "https://images.example/far.png" } },
    ],
  },
  { role: "assistant", content: null, tool_calls: [toolCall("call_1", "look_up", '{"colour":"red"}')] },
  { role: "tool", tool_call_id: "call_1", content: "a red pixel" },
];
const TOOLS = [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: {} } } }];
const STREAM = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Think " }),
  chunk({ reasoning_content: "first." }),
  chunk({ content: "It is " }),
  chunk({ content: `red. ${HOSTILE}` }),
  chunk({ tool_calls: [{ index: 0, ...toolCall("call_2", "paint", '{"with":') }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"blue"}' } }] }),
  chunk({}, "tool_calls"),
  "[DONE]",
];

let upstream: MockUpstream;
let gateway: RunningGateway;
let operator: Visit;
let page: Page;
let key = "";

beforeAll(async () => {
  if (!browser) return;
  upstream = startMockUpstream({
    good: ({ body }) => (body["stream"] === true ? events(STREAM) : Response.json(completion())),
  });
  const at = `dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, credential: canary`;
  gateway = await startGateway({
    yaml: `upstreams: [{ id: west, ${at} }]
models:
  - { id: plain, routes: [{ upstream: west, model: good }], price: ${TEST_PRICE} }
  - { id: other, routes: [{ upstream: west, model: good }], price: ${TEST_PRICE} }
`,
  });
  await gateway.platform("POST", "/api/accounts", { id: "rich", name: "rich", log_bodies: true });
  await gateway.platform("POST", "/api/accounts/rich/grants", { amount: "10", reference: "first", reason: "paid" });
  ({ key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "key", models: ["*"], account: "rich" }));
  operator = await visitAs(browser, gateway, null);
  page = operator.page;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}, 300_000);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
});

/** Sends a request and waits until the request and its bodies are in the log. */
async function sendLogged(body: object): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "plain", messages: CONVERSATION, ...body }),
  });
  await response.text();
  const id = response.headers.get("x-request-id")!;
  const isStored = async (): Promise<boolean> => {
    const { data } = await gateway.platform<{ data: object[] }>("GET", `/api/requests?request_id=${id}`);
    return data.length > 0 && (await gateway.platform<{ bodies: string | null }>("GET", `/api/requests/${id}`)).bodies !== null;
  };
  while (!(await isStored())) await Bun.sleep(20);
  return id;
}

const panel = (): Locator => page.getByRole("region", { name: /^Request req_/ });

describe.skipIf(!browser)("logged prompts", () => {
  test("are shown as a chat: roles, tools, images, reasoning and an assembled stream, all as text", async () => {
    const id = await sendLogged({ stream: true, temperature: 0.5, tools: TOOLS });
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(request.url()));
    await goTo(page, `/requests/${id}`);
    await panel().getByRole("button", { name: "View prompt and response" }).click();
    const messages = panel().getByRole("list", { name: "Prompt" }).getByRole("listitem");
    await messages.nth(3).waitFor();
    const texts = await messages.allInnerTexts();
    expect(texts[0]).toMatch(/system\s+Be brief\./i);
    expect(texts[1]).toContain(HOSTILE);
    expect(texts[2]).toMatch(/Tool call: look_up\s+call_1\s+\{\s+"colour": "red"\s+\}/);
    expect(texts[3]).toMatch(/Result of look_up\s+a red pixel/);
    const image = messages.nth(1).getByRole("img");
    await eventually(
      () => image.evaluate((element: { naturalWidth: number }) => element.naturalWidth),
      (width) => width === 1,
    );
    expect(await messages.nth(1).getByRole("link").getAttribute("href")).toBe("https://images.example/far.png");
    expect(await messages.nth(1).getByRole("link").getAttribute("rel")).toContain("noreferrer");
    await panel().getByText("1 tool offered").waitFor();

    const answer = panel().getByRole("list", { name: "Response" }).getByRole("listitem");
    await answer.getByText(`It is red. ${HOSTILE}`).waitFor();
    await answer.getByText("tool_calls", { exact: true }).waitFor();
    expect(await answer.innerText()).toMatch(/Tool call: paint\s+call_2\s+\{\s+"with": "blue"\s+\}/);
    expect(await answer.getByText("Think first.").isVisible()).toBe(false);
    await answer.getByText("Reasoning").click();
    await answer.getByText("Think first.").waitFor();
    expect(fetched.filter((url) => url.includes("images.example"))).toEqual([]);
    expect(operator.complaints).toEqual([]);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page, "main")).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await untilFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  }, 300_000);

  test("are copied as code that runs: curl, Python and JavaScript", async () => {
    const id = await sendLogged({ temperature: 0.5, tools: TOOLS });
    const asked = upstream.requests.length;
    const copied = async (language: string): Promise<string> => {
      await goTo(page, `/requests/${id}`);
      await panel().getByRole("button", { name: "Copy as" }).click();
      await page.getByRole("menuitem", { name: language }).click();
      await panel().getByText("Copied").waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    const [curl, python, javascript] = [await copied("curl"), await copied("Python"), await copied("JavaScript")];
    for (const code of [curl, python, javascript]) expect(code).not.toContain(key);

    expect(await run(["sh", "-c", curl])).toContain('"Hello world"');
    // Inside the repository, so that the openai package is found.
    const file = join(ROOT, "dist", `copied-${process.pid}.mjs`);
    await Bun.write(file, javascript);
    try {
      expect(await run([process.execPath, file])).toBe("Hello world\n");
    } finally {
      rmSync(file);
    }
    if (Bun.which("python3")) {
      expect(await run(["python3", "-c", `import ast, sys; ast.parse(sys.argv[1]); print("valid")`, python])).toBe("valid\n");
    }
    const [first, second, third] = upstream.requests.slice(asked - 1).map(({ body }) => body);
    expect([second, third]).toEqual([first, first]);
    expect(operator.complaints).toEqual([]);
  }, 300_000);

  test("of two requests are compared line by line, side by side or one below the other", async () => {
    const first = await sendLogged({ temperature: 0.5 });
    const second = await sendLogged({ model: "other", temperature: 1, messages: [...CONVERSATION, { role: "user", content: HOSTILE }] });
    await goTo(page, "/requests");
    for (const id of [second, first]) await page.locator(`[data-row="${id}"]`).getByRole("checkbox").check();
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.waitForURL(`**/requests/compare?a=${first}&b=${second}`);
    const facts = page.getByRole("table", { name: "Facts" });
    expect(await facts.getByRole("row", { name: /^Model/ }).innerText()).toMatch(/differs\s+plain\s+other/);
    expect(await facts.getByRole("row", { name: /^Output tokens/ }).innerText()).not.toContain("differs");
    await page.getByRole("button", { name: "Compare prompts and responses" }).click();
    const [parameters, messages] = [page.getByRole("group", { name: "Parameters" }), page.getByRole("group", { name: "Messages" })];
    await messages.waitFor();
    const [removed, added] = [(group: Locator) => group.locator("del"), (group: Locator) => group.locator("ins")];
    expect(await removed(parameters).allInnerTexts()).toEqual(['−\nmodel: "plain"', "−\ntemperature: 0.5"]);
    expect(await added(parameters).allInnerTexts()).toEqual(['+\nmodel: "other"', "+\ntemperature: 1"]);
    expect(await removed(messages).count()).toBe(0);
    expect(await added(messages).allInnerTexts()).toEqual(["+\n[user]", `+\n${HOSTILE}`]);
    await page.getByText("No differences.").waitFor();

    const [before, after] = [removed(parameters).first(), added(parameters).first()];
    expect((await before.boundingBox())!.y).toBe((await after.boundingBox())!.y);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page, "main")).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await eventually(
      async () => [(await before.boundingBox())!.y, (await after.boundingBox())!.y] as const,
      ([above, below]) => above < below,
    );
    await untilFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    await goTo(page, `/requests/${first}`);
    await panel().getByRole("link", { name: "Compare with …" }).click();
    await page.getByRole("textbox", { name: "Compare with request ID" }).fill(second);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/requests/compare?a=${first}&b=${second}`);
    await facts.waitFor();
    expect(operator.complaints).toEqual([]);
  }, 300_000);
});

/** The output of a program that has the key in its environment. */
async function run(command: string[]): Promise<string> {
  const env = { PATH: process.env["PATH"]!, OPENAI_API_KEY: key, NO_PROXY: "127.0.0.1" };
  return new Response(Bun.spawn(command, { env, stdout: "pipe", stderr: "ignore" }).stdout).text();
}
