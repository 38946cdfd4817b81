import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import {
  chunk,
  configFor,
  events,
  manualStream,
  rawEvents,
  startMockUpstream,
  TEST_PRICE,
  usageChunk,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually, settled } from "../support/eventually.ts";
import { axeViolations } from "./axe-violations.ts";
import { goTo, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

const HOSTILE = '<img src=x onerror="document.title=1"> [click](javascript:alert(1)) **bold**';
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const respond = (text: string): Response => events([chunk({ role: "assistant", content: text }), chunk({}, "stop"), usageChunk()]);

/** Calls the weather tool once, then repeats its result. */
function callWeatherTool({ body }: RecordedRequest): Response {
  const last = (body["messages"] as { role: string; content: string }[]).at(-1)!;
  if (last.role === "tool") return respond(`It is ${last.content} there.`);
  const call = { index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } };
  const rest = { index: 0, function: { arguments: '{"city":"Oslo"}' } };
  // A second call in parallel, whose arguments do not match the schema.
  const second = { index: 1, id: "call_2", type: "function", function: { name: "get_weather", arguments: '{"town":"Rome"}' } };
  return events([
    chunk({ role: "assistant", content: null, tool_calls: [call] }),
    chunk({ tool_calls: last.content.includes("Rome") ? [rest, second] : [rest] }),
    chunk({}, "tool_calls"),
    usageChunk(),
  ]);
}

/** Starts a response that ends only when it is cancelled. */
function neverEnd(): Response {
  const { stream, write } = manualStream();
  write(`data: ${chunk({ role: "assistant", content: "Well" })}\n\n`);
  return rawEvents(stream);
}

/** A stream whose text is written by the test. */
const written = manualStream();
const write = (text: string): void => written.write(`data: ${chunk({ role: "assistant", content: text })}\n\n`);

const lines = (word: string): string => Array.from({ length: 60 }, (_, line) => `${word} ${line}\n`).join("");

const repeat = ({ body }: RecordedRequest): Response => respond((body["messages"] as { content: string }[]).at(-1)!.content);

const upstream = startMockUpstream({
  "up-hostile": () => respond(HOSTILE),
  "up-tooled": callWeatherTool,
  "up-endless": neverEnd,
  "up-written": () => rawEvents(written.stream),
  "up-parrot": repeat,
});
const PRICE = { input_per_million: 1, output_per_million: 2 };
const ECHO = `  - { id: echo, routes: [{ upstream: echo, model: echo }], price: ${TEST_PRICE} }\n`;

/** The window becomes visible again after a minute, when all queries are refetched. */
const REFOCUS_LATER = `const now = Date.now; Date.now = () => now() + 60_000; dispatchEvent(new Event("visibilitychange"));`;

const textIn = (response: Locator): Promise<string | null> => response.getByRole("group", { name: "Response", exact: true }).textContent();

describe.skipIf(!browser)("the playground", () => {
  let gateway: RunningGateway;
  let operator: Visit;
  let page: Page;
  let keyId: string;
  beforeAll(async () => {
    const yaml = `${configFor(upstream.baseUrl, ["hostile", "tooled", "endless", "written", "parrot"], "  - { id: echo, dialect: echo }")}${ECHO}`;
    gateway = await startGateway({ yaml, env: CANCELS });
    ({ id: keyId } = await gateway.makeKey(["*"], { name: "for tests" }));
    operator = await visitAs(browser as Browser, gateway, null);
    ({ page } = operator);
  });
  afterAll(async () => {
    await browser!.close();
    await gateway.stop();
    await upstream.stop();
  });

  const responseFrom = (model: string, on = page): Locator => on.getByRole("region", { name: `Response from ${model}` });

  /** Counts requests to a URL from now on. */
  function counted(url: RegExp): () => number {
    let count = 0;
    page.on("request", (request) => void (url.test(request.url()) && count++));
    return () => count;
  }

  async function open(search: string, on = page): Promise<void> {
    await goTo(on, `/playground?${search}`);
    await on.getByLabel("Your message").waitFor();
  }

  async function send(text: string, on = page): Promise<void> {
    await on.getByLabel("Your message").fill(text);
    await on.getByLabel("Your message").press("Enter");
  }

  /** Sets the misbehaviour of the echo upstream. */
  async function misbehave(echo: object): Promise<void> {
    await page.getByText("Additional fields").click();
    await page.getByLabel("JSON fields").fill(JSON.stringify({ echo }));
  }

  test("compares two models, shows their output as plain text, and continues with the selected response", async () => {
    await open("model=echo&beside=hostile");
    await send("Who are you?");
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();
    await responseFrom("hostile").getByText("complete", { exact: true }).waitFor();
    expect(await textIn(responseFrom("echo"))).toEndWith("You said: Who are you?");
    expect(await textIn(responseFrom("hostile"))).toBe(HOSTILE);
    expect(await responseFrom("hostile").locator("img, a[href^=javascript], strong").count()).toBe(0);
    await responseFrom("hostile").getByText("$0.00000810").waitFor();
    await responseFrom("echo").getByText("$0.0000310").waitFor();
    await page.getByRole("button", { name: "Get code" }).click();
    await page.getByRole("dialog").getByText('"model": "echo"').waitFor();
    await page.getByRole("dialog").getByLabel("Model").selectOption("hostile");
    await page.getByRole("dialog").getByText('"model": "hostile"').waitFor();
    await page.keyboard.press("Escape");

    await responseFrom("hostile").getByLabel("Continue with this").check();
    await send("And now?");
    const sent = await eventually(
      () => upstream.last().body["messages"] as object[],
      (messages) => messages.length > 1,
    );
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();
    expect(sent).toEqual([
      { role: "user", content: "Who are you?" },
      { role: "assistant", content: HOSTILE },
      { role: "user", content: "And now?" },
    ]);
    expect(operator.complaints).toEqual([]);
  });

  test("compares four models, with parameters of their own, and stops one of them", async () => {
    await open("model=echo&beside=hostile+hostile");
    await page.getByRole("combobox", { name: "Compare with" }).fill("endless");
    await page.getByRole("option", { name: "endless" }).click();
    await eventually(
      () => new URL(page.url()).searchParams.get("beside"),
      (beside) => beside === "hostile hostile endless",
    );
    await page.getByRole("combobox", { name: "Compare with" }).waitFor({ state: "detached" });
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByLabel("Same parameters for all models").uncheck({ force: true });
    await page.getByText("Parameters of hostile").nth(1).click();
    await page.getByLabel("Temperature").nth(2).fill("2");
    const before = upstream.requests.length;
    await send("Hello");
    await responseFrom("endless").getByText("Well").waitFor();
    for (const response of [responseFrom("echo"), responseFrom("hostile").first(), responseFrom("hostile").last()]) {
      await response.getByText("complete", { exact: true }).waitFor();
    }
    const temperatures = upstream.requests.slice(before).map(({ body }) => `${String(body["model"])} ${String(body["temperature"])}`);
    expect(temperatures.toSorted()).toEqual(["up-endless 0.5", "up-hostile 0.5", "up-hostile 2"]);
    await page.getByRole("button", { name: "Stop endless" }).click();
    await responseFrom("endless").getByText("stopped", { exact: true }).waitFor();
    await eventually(
      () => page.getByLabel("Continue with this").count(),
      (count) => count === 4,
    );

    // After the second model was removed, the third model keeps its parameters.
    await page.getByRole("combobox", { name: "Model 2" }).locator("..").getByLabel("Clear model 2").click();
    await eventually(
      () => page.getByText("Parameters of hostile").count(),
      (count) => count === 1,
    );
    await page.getByText("Parameters of hostile").click();
    expect(await page.getByLabel("Temperature").nth(1).inputValue()).toBe("2");
    await send("Again");
    await eventually(
      () => page.getByRole("region", { name: /^Response from/ }).count(),
      (count) => count === 3,
    );
    await responseFrom("endless").getByText("Well").waitFor();
    await page.getByRole("button", { name: "Stop all" }).click();
    await responseFrom("endless").getByText("stopped", { exact: true }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("retries one of several responses alone", async () => {
    await open("model=hostile&beside=parrot");
    const busy = { status: 429, json: { error: { message: "Busy.", code: "rate_limit_exceeded" } } };
    await page.route("**/completions", (route) =>
      route.request().postData()!.includes('"parrot"') ? route.fulfill(busy) : route.continue(),
    );
    await send("Hello");
    await responseFrom("parrot").getByText("Busy.").waitFor();
    await responseFrom("hostile").getByText("complete", { exact: true }).waitFor();
    await page.unroute("**/completions");
    const before = upstream.requests.length;
    await responseFrom("parrot").getByRole("button", { name: "Retry" }).click();
    await responseFrom("parrot").getByText("complete", { exact: true }).waitFor();
    expect(upstream.requests.slice(before).map(({ body }) => body["model"])).toEqual(["up-parrot"]);
  });

  test("does not select a deprecated model by default, nor one that the key may not call", async () => {
    let isAvailable = true;
    await page.route("**/api/models?*state=available*", async (route) => {
      if (isAvailable) await route.continue();
      else await route.fulfill({ json: { data: [], next: null } });
    });
    await gateway.platform("POST", "/api/models", { id: "aaa-old", routes: [{ upstream: "echo", model: "echo" }], price: PRICE });
    await gateway.platform("POST", "/api/models/aaa-old/deprecate", { shutdown_date: "2099-01-01", replacement: "echo" });
    const model = page.getByRole("combobox", { name: "Model", exact: true });
    await open("");
    const byDefault = await eventually(
      () => model.inputValue(),
      (id) => id !== "",
    );
    expect(byDefault).toBe("echo");
    const { id: hostileOnly } = await gateway.makeKey(["hostile"], { name: "hostile only" });
    await page.getByLabel("System message").fill("Stays");
    await page.getByRole("combobox", { name: "Key" }).fill("hostile only");
    await page.getByRole("option", { name: "hostile only" }).click();
    await eventually(
      () => model.inputValue(),
      (id) => id === "hostile",
    );
    expect(await page.getByLabel("System message").inputValue()).toBe("Stays");
    // The newest key is the default of the other tests.
    await gateway.platform("DELETE", `/api/keys/${hostileOnly}`);
    isAvailable = false;
    await open("");
    await page.getByText("Every model of this key is deprecated").waitFor();
    expect(await model.inputValue()).toBe("");
    await page.unroute("**/api/models?*state=available*");
  });

  test("sends images and set parameters, and shows the request as code", async () => {
    await open("model=hostile");
    await page.getByLabel("Images to add").setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: PIXEL },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no") },
    ]);
    await page.getByText("notes.txt is not a PNG, JPEG, WebP or GIF image.").waitFor();
    await page.getByText("70 B").waitFor();
    await page.getByLabel("Temperature").fill("hot");
    await page.getByText("Must be a number.").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByLabel("System message").fill("Be brief.");
    await page.getByLabel("Your message").fill("What is it?");
    await page.getByRole("button", { name: "Get code" }).click();
    await page.getByRole("tab", { name: "Python" }).click();
    expect(await page.getByRole("tabpanel", { name: "Python" }).textContent()).toContain("temperature=0.5");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send" }).click();
    await responseFrom("hostile").getByText("complete", { exact: true }).waitFor();
    const { messages, temperature, ...rest } = upstream.last().body;
    expect(messages).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL.toString("base64")}` } },
        ],
      },
    ]);
    expect(temperature).toBe(0.5);
    expect(Object.keys(rest)).toEqual(["model", "stream", "stream_options"]);
  });

  test("shows a tool call and sends its result", async () => {
    await open("model=tooled");
    await page.getByText("Tools", { exact: true }).click();
    await page.getByRole("button", { name: "Insert example" }).click();
    await send("How is the weather in Oslo?");
    const response = responseFrom("tooled");
    await response.getByText("Tool call: get_weather").waitFor();
    await eventually(
      () => response.getByLabel("arguments of get_weather", { exact: true }).textContent(),
      (given) => given === '{\n  "city": "Oslo"\n}',
    );
    await response.getByLabel("Result of get_weather").fill("sunny");
    await response.getByRole("button", { name: "Send result" }).click();
    await page.getByText("It is sunny there.").waitFor();
    expect(await page.getByRole("list", { name: "Conversation" }).getByLabel("Result of get_weather").inputValue()).toBe("sunny");
    expect(upstream.last().body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
    ]);

    await send("And in Oslo and Rome?");
    await response.getByLabel("Result of get_weather (2)").waitFor();
    await response.getByText("$.city is required.").waitFor();
    await response.getByLabel("Result of get_weather (1)").fill("rain");
    await response.getByLabel("Result of get_weather (2)").fill("snow");
    await response.getByRole("button", { name: "Send results" }).click();
    await page.getByText("It is snow there.").waitFor();
    expect((upstream.last().body["messages"] as object[]).slice(-3)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
      { role: "tool", tool_call_id: "call_2", content: "snow" },
    ]);
    // The field stays open when it is cleared.
    await page.getByLabel("Tool definitions").fill("");
    await page.getByRole("button", { name: "Insert example" }).waitFor();
    expect(await page.getByLabel("Tool definitions").isVisible()).toBe(true);
  });

  test("fills in variables, and checks structured output against its schema", async () => {
    await open("model=parrot");
    await page.getByLabel("System message").fill("Use {{ unit }} and {{other}}.");
    await page.getByText("Structured output").click();
    await page.getByLabel("Response format").selectOption("json_schema");
    await page.getByText("Enter a JSON Schema.").waitFor();
    await page.getByRole("button", { name: "Insert example" }).first().click();
    await page.getByLabel("Your message").fill('{ "city": "{{city}}", "population": {{count}} }');
    await page.getByLabel("{{unit}}").fill("people");
    await page.getByLabel("{{city}}").fill("Oslo");
    await page.getByLabel("{{count}}").fill('"many"');
    await page.getByRole("button", { name: "Send" }).click();
    const response = responseFrom("parrot");
    await response.getByText("The response does not match the schema").waitFor();
    await response.getByText("$.population must be an integer.").waitFor();
    const { messages, response_format: format } = upstream.last().body;
    expect(messages).toEqual([
      { role: "system", content: "Use people and {{other}}." },
      { role: "user", content: '{ "city": "Oslo", "population": "many" }' },
    ]);
    expect(format).toMatchObject({ type: "json_schema", json_schema: { name: "response", strict: true, schema: { type: "object" } } });

    // The messages keep their variables: the next click sends another value.
    await page.getByLabel("{{count}}").fill("700000");
    await page.getByRole("button", { name: "Resend" }).click();
    await response.getByText("The response matches the schema.").waitFor();
    expect(await page.getByLabel("User", { exact: true }).inputValue()).toContain("{{count}}");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page, "main")).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await untilFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(operator.complaints).toEqual([]);
  });

  test("reopens a run from the history with its key, saves system prompts, and stores nothing when the history is off", async () => {
    await page.evaluate("localStorage.clear()");
    const { id: otherKey } = await gateway.makeKey(["*"], { name: "other key" });
    const stored = (): Promise<string> => page.evaluate<string>("JSON.stringify(localStorage)");
    await open(`model=parrot&beside=echo&key=${keyId}`);
    await page.getByLabel("System message").fill("Be brief.");
    await page.getByRole("button", { name: "Saved prompts" }).click();
    await page.getByLabel("Save the current system message as").fill("Brief");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Saved prompts" }).getByText("Be brief.").waitFor();
    await page.keyboard.press("Escape");
    await send("The first run");
    await responseFrom("parrot").getByText("complete", { exact: true }).waitFor();
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();

    await open(`model=hostile&key=${otherKey}`);
    await page.getByRole("button", { name: "Saved prompts" }).click();
    await page.getByRole("button", { name: "Brief Be brief." }).click();
    await eventually(
      () => page.getByLabel("System message").inputValue(),
      (system) => system === "Be brief.",
    );
    await send("The second run");
    await responseFrom("hostile").getByText("complete", { exact: true }).waitFor();
    await page.getByRole("button", { name: "History" }).click();
    const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
    await runs.nth(1).waitFor();
    expect(await runs.count()).toBe(2);
    expect(await axeViolations(page, "[role=dialog]")).toEqual([]);
    await page.getByRole("button", { name: /^The first run/ }).click();
    await responseFrom("echo").getByText("Cost", { exact: true }).waitFor();
    expect(await textIn(responseFrom("parrot"))).toBe("The first run");
    expect(await page.getByLabel("User", { exact: true }).inputValue()).toBe("The first run");
    await eventually(
      () => page.getByRole("combobox", { name: "Key" }).inputValue(),
      (name) => name === "for tests",
    );
    await send("Go on");
    await eventually(
      () => textIn(responseFrom("parrot")),
      (text) => text === "Go on",
    );
    // The next message can be sent after both responses have ended.
    await responseFrom("parrot").getByText("complete", { exact: true }).waitFor();
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();

    await page.getByRole("button", { name: "History" }).click();
    await page.getByLabel("Store my runs in this browser").uncheck({ force: true });
    await page.getByText("The history is turned off.").waitFor();
    await page.keyboard.press("Escape");
    await send("A secret");
    await eventually(
      () => textIn(responseFrom("parrot")),
      (text) => text === "A secret",
    );
    await responseFrom("parrot").getByText("complete", { exact: true }).waitFor();
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();
    expect(await stored()).not.toContain("secret");
    expect(await stored()).not.toContain("first run");
    expect(operator.complaints).toEqual([]);
    await page.evaluate("localStorage.clear()");
  });

  test("shows the announced shutdown date in any time zone", async () => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "America/Los_Angeles" });
    await page.route("**/api/models/echo", async (route) => {
      const response = await route.fetch();
      const ending = { state: "deprecated", shutdown_date: "2027-03-01", replacement: "hostile" };
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...ending } });
    });
    await open("model=echo");
    expect(await page.evaluate<number>("new Date('2027-03-01').getTimezoneOffset()")).toBe(480);
    await page.getByText("shutdown on 1 Mar 2027").waitFor();
    await page.unroute("**/api/models/echo");
    await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "" });
  });

  test("stops a response, keeps its partial text and shows its cost", async () => {
    await open("model=echo");
    await misbehave({ delay_ms: 100 });
    // Minutes of words, so that it is stopped before its end.
    await send(`${"word ".repeat(1900)}end`);
    const response = responseFrom("echo");
    await response.getByText("not a language model").waitFor();
    await response.getByText("Estimated cost").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await response.getByText("stopped", { exact: true }).waitFor();
    await response.getByText("Cost", { exact: true }).waitFor();
    const requestId = (await response.getByRole("link", { name: "View request" }).getAttribute("href"))!.split("/").at(-1)!;
    const receipt = await gateway.platform<{ reason: string; usage: { completion_tokens: number } }>("GET", `/api/receipts/${requestId}`);
    expect(receipt.reason).toBe("the client disconnected");
    expect(await response.locator("dl").innerText()).toContain(`Output tokens\n${receipt.usage.completion_tokens}`);
    expect(await textIn(response)).not.toContain("end");
  });

  test("scrolls with the stream, unless the user scrolls up", async () => {
    const isInView = (): Promise<boolean> =>
      page.evaluate<boolean>(`(() => {
        const end = document.querySelector('[aria-label="Response from written"]').getBoundingClientRect().bottom;
        const composer = document.querySelector('[aria-label="Images to add"]').form.getBoundingClientRect();
        return end <= composer.top && composer.bottom <= innerHeight;
      })()`);
    await open("model=written");
    await send("Hello");
    write(lines("first"));
    await responseFrom("written").getByText("first 59").waitFor();
    await eventually(isInView, (is) => is);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -600);
    await eventually(isInView, (is) => !is);
    const top = await settled(() => page.evaluate<number>("scrollY"));
    write(lines("second"));
    await responseFrom("written").getByText("second 59").waitFor();
    expect([await isInView(), await page.evaluate<number>("scrollY")]).toEqual([false, top]);
    await page.getByRole("button", { name: "Stop" }).click();
    expect(operator.complaints).toEqual([]);
  });

  test("shows that an interrupted stream is incomplete, and its charge", async () => {
    await open("model=echo");
    await misbehave({ cut_after: 4 });
    await send("Hello");
    const response = responseFrom("echo");
    await response.getByText("Incomplete response: upstream error").waitFor();
    expect(await textIn(response)).toBe("This is only an");
    await response.getByText("$0.000009 was charged for the partial response.").waitFor();
    await page.getByLabel("JSON fields").fill("");
    await response.getByRole("button", { name: "Retry" }).click();
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("shows a zero cost only where it is certain", async () => {
    await open("model=echo");
    await send("Hello");
    const response = responseFrom("echo");
    await response.getByText("complete", { exact: true }).waitFor();
    const requestId = (await response.getByRole("link", { name: "View request" }).getAttribute("href"))!.split("/").at(-1)!;
    const cost = response.locator("dl > div", { hasText: "Cost" });
    // The gateway has served and charged the request; the browser loses the stream before its first byte.
    const cut = { status: 200, contentType: "text/event-stream", body: "" };
    await page.route("**/completions", (route) => route.fulfill({ ...cut, headers: { "x-request-id": requestId } }), { times: 1 });
    await send("And again");
    await response.getByText("incomplete", { exact: true }).waitFor();
    await cost.getByText(/^\$0\.0000/).waitFor();

    await page.route("**/completions", (route) => route.fulfill(cut), { times: 1 });
    await send("And again");
    await response.getByText("It is unknown whether the request was charged.").waitFor();
    expect(await cost.innerText()).toBe("Cost\n–");

    await page.getByLabel("Max tokens").fill("-1");
    await send("And again");
    await response.getByText("rejected", { exact: true }).waitFor();
    expect(await cost.innerText()).toBe("Cost\n$0.00");
  });

  test("loads a logged request with its body, and reads the body once", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "kept", name: "Kept", log_bodies: true });
    await gateway.platform("POST", "/api/accounts/kept/grants", { amount: "1", reference: "a", reason: "a" });
    const { key } = await gateway.makeKey(["*"], { name: "keeps", account: "kept" });
    const body = JSON.stringify({ model: "echo", seed: 7, messages: [{ role: "user", content: "Once more" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    await response.text();
    const reads = counted(/\/bodies$/);
    await goTo(page, `/playground?request=${response.headers.get("x-request-id")!}`);
    expect(await page.getByLabel("User", { exact: true }).inputValue()).toBe("Once more");
    expect(await page.getByLabel("Seed").inputValue()).toBe("7");
    await eventually(
      () => page.getByRole("combobox", { name: "Key" }).inputValue(),
      (name) => name === "keeps",
    );
    // Each read of a body is recorded: when the window regains the focus, the body must not be read again.
    const others = counted(/\/api\/models\?/);
    await page.evaluate(REFOCUS_LATER);
    await eventually(others, (count) => count > 0);
    expect(reads()).toBe(1);
    await goTo(page, "/playground?request=req_00000000-0000-7000-8000-000000000000");
    await page.getByText("The request could not be loaded.").waitFor();
  });

  test("explains insufficient credit to a member, and counts down Retry-After", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });
    await gateway.platform("POST", "/api/keys", { name: "penniless", models: ["*"], account: "poor" });
    const member = await visitAs(browser as Browser, gateway, "poor", { viewport: { width: 390, height: 800 } });
    await open("model=echo", member.page);
    await send("Hello", member.page);
    const response = responseFrom("echo", member.page);
    await response.getByText("Insufficient credit").waitFor();
    await response.getByText("Ask an operator for credit", { exact: false }).waitFor();
    await response.getByText("The key penniless belongs to the account poor.").waitFor();
    expect(await response.getByRole("link", { name: "Open account" }).getAttribute("href")).toBe("/accounts/poor");
    expect(await member.page.getByLabel("User", { exact: true }).inputValue()).toBe("Hello");
    await untilFits(member.page);
    expect(member.complaints).toEqual([]);

    await gateway.platform("PATCH", `/api/keys/${keyId}`, { limits: { requests_per_minute: 1 } });
    await open(`model=echo&key=${keyId}`);
    await send("Hello");
    await responseFrom("echo").getByText("complete", { exact: true }).waitFor();
    await send("Hello again");
    await responseFrom("echo").getByText("Rate limit exceeded").waitFor();
    await responseFrom("echo")
      .getByRole("button", { name: /^Retry \(recommended in \d+ s\)$/ })
      .waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
