import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { chunk, configFor, events, startMockUpstream, TEST_PRICE, usageChunk, type RecordedRequest } from "../mock-upstream.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { eventually } from "../streams/eventually.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";

const browser = await openBrowser();

const HOSTILE = '<img src=x onerror="document.title=1"> [click](javascript:alert(1)) **bold**';
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const says = (text: string): Response => events([chunk({ role: "assistant", content: text }), chunk({}, "stop"), usageChunk()]);

/** Asks for the weather once, and tells what it was told. */
function askForWeather({ body }: RecordedRequest): Response {
  const last = (body["messages"] as { role: string; content: string }[]).at(-1)!;
  if (last.role === "tool") return says(`It is ${last.content} there.`);
  const call = { index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } };
  const rest = { index: 0, function: { arguments: '{"city":"Oslo"}' } };
  return events([
    chunk({ role: "assistant", content: null, tool_calls: [call] }),
    chunk({ tool_calls: [rest] }),
    chunk({}, "tool_calls"),
    usageChunk(),
  ]);
}

const upstream = startMockUpstream({ "up-hostile": () => says(HOSTILE), "up-tooled": askForWeather });
const ECHO = `  - { id: echo, routes: [{ upstream: echo, model: echo }], price: ${TEST_PRICE} }\n`;

/** Somebody comes back to the window after a minute, when all that is shown is asked for anew. */
const COME_BACK_LATER = `const now = Date.now; Date.now = () => now() + 60_000; dispatchEvent(new Event("visibilitychange"));`;

const textIn = (answer: Locator): Promise<string | null> => answer.getByRole("group", { name: "Answer", exact: true }).textContent();

describe.skipIf(!browser)("the playground", () => {
  let gateway: RunningGateway;
  let operator: Visit;
  let page: Page;
  let keyId: string;
  beforeAll(async () => {
    const yaml = `${configFor(upstream.baseUrl, ["hostile", "tooled"], "  - { id: echo, dialect: echo }")}${ECHO}`;
    gateway = await startGateway({ yaml });
    ({ id: keyId } = await gateway.makeKey(["*"], { name: "for tests" }));
    operator = await visitAs(browser as Browser, gateway, null);
    ({ page } = operator);
  });
  afterAll(async () => {
    await browser!.close();
    await gateway.stop();
    await upstream.stop();
  });

  const answerOf = (model: string, on = page): Locator => on.getByRole("region", { name: `Answer of ${model}` });

  /** How often something is asked for from now on. */
  function counted(address: RegExp): () => number {
    let count = 0;
    page.on("request", (request) => void (address.test(request.url()) && count++));
    return () => count;
  }

  async function open(search: string, on = page): Promise<void> {
    await on.goto(`/playground?${search}`);
    await on.getByLabel("Your message").waitFor();
  }

  async function ask(question: string, on = page): Promise<void> {
    await on.getByLabel("Your message").fill(question);
    await on.getByLabel("Your message").press("Enter");
  }

  /** How the echo is told to misbehave. */
  async function order(echo: object): Promise<void> {
    await page.getByText("More fields").click();
    await page.getByLabel("Fields of the request").fill(JSON.stringify({ echo }));
  }

  test("asks two models the same, shows what they say as text, and goes on with the one that is chosen", async () => {
    await open("model=echo&beside=hostile");
    await ask("Who are you?");
    await answerOf("echo").getByText("complete", { exact: true }).waitFor();
    await answerOf("hostile").getByText("complete", { exact: true }).waitFor();
    expect(await textIn(answerOf("echo"))).toEndWith("You said: Who are you?");
    expect(await textIn(answerOf("hostile"))).toBe(HOSTILE);
    expect(await answerOf("hostile").locator("img, a[href^=javascript], strong").count()).toBe(0);
    await answerOf("hostile").getByText("$0.00000810").waitFor();
    await answerOf("echo").getByText("$0.0000310").waitFor();

    await answerOf("hostile").getByLabel("Go on with this").check();
    await ask("And now?");
    await answerOf("echo").getByText("complete", { exact: true }).waitFor();
    const sent = upstream.last().body["messages"];
    expect(sent).toEqual([
      { role: "user", content: "Who are you?" },
      { role: "assistant", content: HOSTILE },
      { role: "user", content: "And now?" },
    ]);
    expect(operator.complaints).toEqual([]);
  });

  test("sends pictures and only the parameters that are set, and gives the same as code", async () => {
    await open("model=hostile");
    await page.getByLabel("Pictures to add").setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: PIXEL },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no") },
    ]);
    await page.getByText("notes.txt is not a PNG, JPEG, WebP or GIF picture.").waitFor();
    await page.getByText("70 B").waitFor();
    await page.getByLabel("Temperature").fill("hot");
    await page.getByText("This must be a number.").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByLabel("System message").fill("Be brief.");
    await page.getByLabel("Your message").fill("What is it?");
    await page.getByRole("button", { name: "Get code" }).click();
    await page.getByRole("tab", { name: "Python" }).click();
    expect(await page.getByRole("tabpanel", { name: "Python" }).textContent()).toContain("temperature=0.5");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Send" }).click();
    await answerOf("hostile").getByText("complete", { exact: true }).waitFor();
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

  test("shows a tool that the model calls, and goes on with what it gives", async () => {
    await open("model=tooled");
    await page.getByText("Tools", { exact: true }).click();
    await page.getByRole("button", { name: "Put in an example" }).click();
    await ask("How is the weather in Oslo?");
    const answer = answerOf("tooled");
    await answer.getByText("Calls get_weather").waitFor();
    expect(await answer.getByLabel("the arguments of get_weather", { exact: true }).textContent()).toBe('{\n  "city": "Oslo"\n}');
    await answer.getByLabel("Result of get_weather").fill("sunny");
    await answer.getByRole("button", { name: "Send the result" }).click();
    await page.getByText("It is sunny there.").waitFor();
    expect(await page.getByRole("list", { name: "Conversation" }).getByLabel("Result of get_weather").inputValue()).toBe("sunny");
    expect(upstream.last().body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
    ]);
    // The field stays under the cursor of whoever empties it to write something else.
    await page.getByLabel("Tool definitions").fill("");
    await page.getByRole("button", { name: "Put in an example" }).waitFor();
    expect(await page.getByLabel("Tool definitions").isVisible()).toBe(true);
  });

  test("names the day on which a model ends as it was announced, wherever that is read", async () => {
    const far = await visitAs(browser as Browser, gateway, null, { timezoneId: "America/Los_Angeles" });
    await far.page.route("**/api/models/echo", async (route) => {
      const response = await route.fetch();
      const ending = { state: "deprecated", shutdown_date: "2027-03-01", replacement: "hostile" };
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...ending } });
    });
    await open("model=echo", far.page);
    await far.page.getByText("it ends on 1 Mar 2027").waitFor();
  });

  test("stops an answer, keeps what came, and tells what that cost", async () => {
    await open("model=echo");
    await order({ delay_ms: 100 });
    await ask("one two three four five six seven eight nine ten eleven twelve thirteen fourteen");
    const answer = answerOf("echo");
    await answer.getByText("not a language model").waitFor();
    await answer.getByText("Cost, estimated").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await answer.getByText("stopped", { exact: true }).waitFor();
    await answer.getByText("Cost", { exact: true }).waitFor();
    const requestId = (await answer.getByRole("link", { name: "See the request" }).getAttribute("href"))!.split("/").at(-1)!;
    const receipt = await gateway.platform<{ reason: string; usage: { completion_tokens: number } }>("GET", `/api/receipts/${requestId}`);
    expect(receipt.reason).toBe("the caller left");
    expect(await answer.locator("dl").innerText()).toContain(`Tokens out\n${receipt.usage.completion_tokens}`);
    expect(await textIn(answer)).not.toContain("fourteen");
  });

  test("keeps the end of an answer above where the next question is written, unless somebody scrolls up", async () => {
    await open("model=echo");
    await ask(Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n"));
    await answerOf("echo").getByText("complete", { exact: true }).waitFor();
    await order({ delay_ms: 20 });
    await page.getByLabel("Your message").fill(Array.from({ length: 60 }, (_, line) => `word ${line}`).join("\n"));
    await page.evaluate("scrollTo(0, 0)");
    await page.keyboard.press("Enter");
    const isInView = (): Promise<boolean> =>
      page.evaluate<boolean>(`(() => {
        const end = document.querySelector('[aria-label="Answer of echo"]').getBoundingClientRect().bottom;
        const composer = document.querySelector('[aria-label="Pictures to add"]').form.getBoundingClientRect();
        return end <= composer.top && composer.bottom <= innerHeight;
      })()`);
    await answerOf("echo").getByText("word 20").waitFor();
    await eventually(isInView, (is) => is);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -600);
    await eventually(isInView, (is) => !is);
    await answerOf("echo").getByText("word 40").waitFor();
    expect(await isInView()).toBe(false);
    await page.getByRole("button", { name: "Stop" }).click();
    expect(operator.complaints).toEqual([]);
  });

  test("says of a stream that breaks off that it is incomplete, and what was charged", async () => {
    await open("model=echo");
    await order({ cut_after: 4 });
    await ask("Hello");
    const answer = answerOf("echo");
    await answer.getByText("The answer is incomplete: the upstream failed").waitFor();
    expect(await textIn(answer)).toBe("This is only an");
    await answer.getByText("$0.000009 was charged, for what had come until then.").waitFor();
    await page.getByLabel("Fields of the request").fill("");
    await answer.getByRole("button", { name: "Try again" }).click();
    await answerOf("echo").getByText("complete", { exact: true }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  test("does not say that it cost nothing where it cannot know, and does when it can", async () => {
    await open("model=echo");
    await ask("Hello");
    const answer = answerOf("echo");
    await answer.getByText("complete", { exact: true }).waitFor();
    const requestId = (await answer.getByRole("link", { name: "See the request" }).getAttribute("href"))!.split("/").at(-1)!;
    const cost = answer.locator("dl > div", { hasText: "Cost" });
    // The gateway has answered and charged; here the stream is lost before its first byte.
    const cut = { status: 200, contentType: "text/event-stream", body: "" };
    await page.route("**/completions", (route) => route.fulfill({ ...cut, headers: { "x-request-id": requestId } }), { times: 1 });
    await ask("And again");
    await answer.getByText("incomplete", { exact: true }).waitFor();
    await cost.getByText(/^\$0\.0000/).waitFor();

    await page.route("**/completions", (route) => route.fulfill(cut), { times: 1 });
    await ask("And again");
    await answer.getByText("It is not known whether it was charged").waitFor();
    expect(await cost.innerText()).toBe("Cost\n–");

    await page.getByLabel("Max tokens").fill("-1");
    await ask("And again");
    await answer.getByText("refused", { exact: true }).waitFor();
    expect(await cost.innerText()).toBe("Cost\nnothing");
  });

  test("takes over a request whose body is kept, and key and model of one whose is not", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "kept", name: "Kept", log_bodies: true });
    await gateway.platform("POST", "/api/accounts/kept/grants", { amount: "1", reference: "a", reason: "a" });
    const { key } = await gateway.makeKey(["*"], { name: "keeps", account: "kept" });
    const body = JSON.stringify({ model: "echo", seed: 7, messages: [{ role: "user", content: "Once more" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    await response.text();
    const looks = counted(/\/bodies$/);
    await page.goto(`/playground?request=${response.headers.get("x-request-id")!}`);
    expect(await page.getByLabel("User", { exact: true }).inputValue()).toBe("Once more");
    expect(await page.getByLabel("Seed").inputValue()).toBe("7");
    await eventually(
      () => page.getByRole("combobox", { name: "Key" }).inputValue(),
      (name) => name === "keeps",
    );
    // Each look at what was asked is recorded: to come back to the window is none.
    const others = counted(/\/api\/models\?/);
    await page.evaluate(COME_BACK_LATER);
    await eventually(others, (count) => count > 0);
    expect(looks()).toBe(1);
    await page.goto("/playground?request=req_00000000-0000-7000-8000-000000000000");
    await page.getByText("The request could not be taken over.").waitFor();
  });

  test("explains to a member whose credit is missing, and counts down a limit", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });
    await gateway.platform("POST", "/api/keys", { name: "penniless", models: ["*"], account: "poor" });
    const member = await visitAs(browser as Browser, gateway, "poor", { viewport: { width: 390, height: 800 } });
    await open("model=echo", member.page);
    await ask("Hello", member.page);
    const answer = answerOf("echo", member.page);
    await answer.getByText("The account has not enough credit").waitFor();
    await answer.getByText("Ask an operator for credit", { exact: false }).waitFor();
    await answer.getByText("The key penniless belongs to the account poor.").waitFor();
    expect(await answer.getByRole("link", { name: "To the account" }).getAttribute("href")).toBe("/accounts/poor");
    expect(await member.page.getByLabel("User", { exact: true }).inputValue()).toBe("Hello");
    expect(await member.page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(member.complaints).toEqual([]);

    await gateway.platform("PATCH", `/api/keys/${keyId}`, { limits: { requests_per_minute: 1 } });
    await open(`model=echo&key=${keyId}`);
    await ask("Hello");
    await answerOf("echo").getByText("complete", { exact: true }).waitFor();
    await ask("Hello again");
    await answerOf("echo").getByText("Over a limit").waitFor();
    await answerOf("echo")
      .getByRole("button", { name: /^Try again \(better in \d+ s\)$/ })
      .waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
