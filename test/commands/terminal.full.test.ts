import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { runInTerminal } from "./in-terminal.ts";
import { commandRunner } from "./command-runner.ts";

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
  const long = { account: "acme", models: ["gpt-*", "claude-*", "mistral-large-latest", "llama-3"] };
  await gateway.platform("POST", "/api/accounts", { id: "acme", name: "An account with a name that is rather long" });
  await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "112.5", reference: "inv-17", reason: "invoice 17 was paid" });
  await gateway.platform("POST", "/api/accounts/acme/adjustments", { amount: "-0.000000001", reference: "slip", reason: "a slip" });
  await gateway.platform("POST", "/api/keys", { name: "東京の大切なお客様のための新しい鍵です", ...long });
  await gateway.platform("POST", "/api/keys", { name: "a plain name that goes on for longer than it needs to", ...long });
});

afterAll(() => gateway.stop());

/** The rows of a table on the screen, without the hint for the next page that may follow it. */
async function rowsOf(line: string, columns: number): Promise<string[]> {
  const { code, screen } = await runInTerminal(gateway, line.split(" "), columns);
  expect([code, screen.includes("\u001b")]).toEqual([0, false]);
  return screen.split("\n\n")[0]!.trimEnd().split("\n");
}

/** The screen column at which a text starts in a row. */
function columnOf(row: string, text: string): number {
  expect(row).toContain(text);
  return Bun.stringWidth(row.slice(0, row.indexOf(text)));
}

describe("in a terminal", () => {
  test("a table fits: only long text is truncated", async () => {
    const rows = await rowsOf("keys list", 80);
    expect(rows.map((row) => Bun.stringWidth(row)).filter((width) => width > 80)).toEqual([]);
    expect(rows[1]).toMatch(/^\w{12} {2}active +never +never +acme +0\.00 +gpt-\S*… +a pla.*…$/);
    expect(rows[2]).toMatch(/東京.*…$/);
    expect(rows[3]).toMatch(/ default +0\.00 +\* +first…$/);
  });

  test("the audit log fits 80 columns: each change is complete, below its row", async () => {
    const rows = await rowsOf("audit log", 80);
    expect(rows.map((row) => Bun.stringWidth(row)).filter((width) => width > 80)).toEqual([]);
    expect(rows[0]).toMatch(/^ *ID +TIME \(UTC\) +ACTOR +ACTION +RESOURCE$/);
    expect(rows[1]).toMatch(/^ *\d+ +\S+ \d\d:\d\d:\d\d {2}operator token {2,}key\.create +\w{12}$/);
    expect(rows.join(" ")).not.toContain("…");
    expect(rows.join(" ").replaceAll(/ +/g, " ")).toContain(" name: a plain name that goes on for longer than it needs to;");
  });

  test("a rejected request has its error, and its ID on the next line", async () => {
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", body: "{}" });
    const { screen } = await runInTerminal(gateway, ["logs"], 80);
    const [, first, second] = screen.split("\n") as [string, string, string];
    expect([first, second].map(Bun.stripANSI)).toEqual([
      expect.stringMatching(/ 401 .* invalid_api_key$/) as string,
      `${" ".repeat(10)}${reply.headers.get("x-request-id")}`,
    ]);
  });

  test("cells are aligned with their heading, with wide characters", async () => {
    const rows = await rowsOf("keys list", 200);
    const [heading, plain, wide] = rows as [string, string, string];
    expect(columnOf(plain, "a plain name")).toBe(columnOf(heading, "NAME"));
    expect(columnOf(wide, "東京の大切なお客様のための新しい鍵です")).toBe(columnOf(heading, "NAME"));
    expect(columnOf(wide, "gpt-*,claude-*,mistral-large-latest,llama-3")).toBe(columnOf(heading, "MODELS"));
  });

  test("amounts are aligned by their points, and their heading at the right", async () => {
    const rows = await rowsOf("accounts list", 100);
    expect(rows[0]).toMatch(/^ID +CREDIT +RESERVED +SPENT \(MONTH\) +NAME$/);
    const credits = ["112.499999999", "10.00"].map((amount, at) => columnOf(rows[at + 1]!, amount) + amount.indexOf("."));
    expect(new Set(credits).size).toBe(1);
    expect(columnOf(rows[1]!, "112.499999999") + 13).toBe(columnOf(rows[0]!, "CREDIT") + 6);
    const entries = await rowsOf("credits list acme", 100);
    expect(columnOf(entries[1]!, "-0.000000001") + 2).toBe(columnOf(entries[2]!, "112.50") + 3);
  });

  test("the details of a resource are wrapped, not truncated", async () => {
    const capabilities = ["tools", "images", "files", "audio", "json_schema", "reasoning", "caching"];
    await gateway.platform("POST", "/api/models", { id: "able", free: true, routes: [{ upstream: "echo", model: "echo" }], capabilities });
    const rows = await rowsOf("models show able", 60);
    expect(rows.filter((row) => Bun.stringWidth(row) > 60)).toEqual([]);
    const at = rows.findIndex((row) => row.startsWith("Capabilities"));
    expect(rows[at + 1]).toMatch(/^ {10,}\w/);
    expect(`${rows[at]} ${rows[at + 1]!.trim()}`).toEndWith(capabilities.join(", "));
  });

  test("a user agent cannot control the terminal, and is exported unchanged to a file", async () => {
    await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers: { "user-agent": "a\u009b2Jb" } });
    const { code, screen } = await runInTerminal(gateway, ["logs", "export"], 80);
    expect(code).toBe(0);
    expect(screen.trimEnd().split("\n").at(-1)).toContain("a\ufffd2Jb");
    expect(screen).not.toMatch(/[^\P{Cc}\n]/u);
    expect(await commandRunner(gateway).text("logs export")).toMatch(/a\u009b2Jb[^]*\r\n$/);
  });

  test("a secret is not read from a terminal", async () => {
    for (const line of ["keys revoke-leaked", "upstreams credential set x"]) {
      const { code, screen } = await runInTerminal(gateway, line.split(" "), 80);
      expect([line, code, screen]).toEqual([line, 2, expect.stringContaining("which is a terminal here: pipe it in\nTry: ") as string]);
    }
  });
});

test("in a pipe nothing is truncated", async () => {
  const listed = await commandRunner(gateway).text("keys list");
  expect(listed).toMatch(/ gpt-\*,claude-\*,mistral-large-latest,llama-3 +a plain name that goes on for longer than it needs to$/m);
});
