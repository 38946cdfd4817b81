import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandRunner, type CommandRunner } from "../commands/command-runner.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let gateway: RunningGateway;
let command: CommandRunner;
/** Request IDs of an account with body logging, and of an account without it. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startGateway();
  command = commandRunner(gateway);
  for (const [account, keeps] of [
    ["open", true],
    ["closed", false],
  ] as const) {
    await gateway.platform("POST", "/api/accounts", { id: account, name: account, log_bodies: keeps });
    await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "1", reference: "r", reason: "test" });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "test", account, models: ["*"] });
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: `words of ${account}` }] }),
    });
    await reply.text();
    ids[account] = reply.headers.get("x-request-id")!;
  }
});
afterAll(() => gateway.stop());

interface Changes {
  readonly data: readonly { readonly target: object; readonly account: string; readonly actor: string }[];
}

const looks = (): Promise<Changes> => gateway.platform<Changes>("GET", "/api/audit-log?action=request.read_bodies");

test("an operator sees prompt and response, and the audit log records the access", async () => {
  const { bodies } = await gateway.platform<{ bodies: string }>("GET", `/api/requests/${ids["open"]}`);
  expect(bodies).toBe(`/api/requests/${ids["open"]}/bodies`);
  expect((await looks()).data).toEqual([]);
  const shown = await gateway.platform<Record<string, unknown>>("GET", bodies);
  expect(shown).toMatchObject({ request_id: ids["open"], truncated: false });
  expect(shown["request"]).toContain("words of open");
  expect(shown["reply"]).toContain("You said: words of open");
  expect((await looks()).data).toMatchObject([{ target: { kind: "request", id: ids["open"] }, account: "open", actor: "operator-token" }]);
});

test("the command shows bodies, and says where they are", async () => {
  expect(await command.text(`logs show ${ids["open"]}`)).toContain(`npx tollgate logs bodies ${ids["open"]}\n`);
  const printed = await command.text(`logs bodies ${ids["open"]}`);
  expect(printed).toStartWith("Request:\n");
  expect(printed).toMatch(/words of open[^]*\n\nResponse:\n[^]*You said: words of open/);
});

test("an account without body logging has none", async () => {
  expect(await gateway.platform<object>("GET", `/api/requests/${ids["closed"]}`)).toMatchObject({ bodies: null });
  const { code, stderr } = await command.run(`logs bodies ${ids["closed"]}`);
  expect([code, stderr]).toEqual([1, "tollgate: The prompt and response of this request were not logged.\n"]);
});

test("neither the list nor an export includes bodies", async () => {
  const texts = await Promise.all([
    command.text("logs --json"),
    command.text("logs export"),
    command.text(`logs show ${ids["open"]} --json`),
  ]);
  for (const text of texts) {
    expect(text).toContain(ids["open"]!);
    expect(text).not.toContain("words of");
  }
});
