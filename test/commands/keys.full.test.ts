import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { commandRunner, type CommandRunner } from "./command-runner.ts";

interface KeyView {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly expires_at: string | null;
}

interface Page {
  readonly data: readonly KeyView[];
  readonly next: string | null;
}

let gateway: RunningGateway;
let tollgate: CommandRunner;

beforeAll(async () => {
  gateway = await startGateway();
  tollgate = commandRunner(gateway);
});

afterAll(() => gateway.stop());

async function statusOf(key: string): Promise<number> {
  return (await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
}

function make(name: string, more: object = {}): Promise<KeyView> {
  return gateway.platform<KeyView>("POST", "/api/keys", { name, models: ["*"], ...more });
}

describe("tollgate keys", () => {
  test("rotate prints a new secret under the same ID, and the old one works during the grace period", async () => {
    const { id, key } = await make("rotated");
    const rotated = await tollgate.text(`keys rotate ${id}`);
    const next = /^sk-service-\w{50}$/m.exec(rotated)![0];
    expect(next.slice(11, 23)).toBe(id);
    expect(rotated).toMatch(/The old secret works until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.\n$/);
    expect([await statusOf(key), await statusOf(next)]).toEqual([200, 200]);
    const last = await tollgate.json<KeyView>(`keys rotate ${id} --grace-period 0`);
    expect([await statusOf(key), await statusOf(next), await statusOf(last.key)]).toEqual([401, 401, 200]);
    for (const wrong of ["1y", "31d"]) {
      const { code, stderr } = await tollgate.run(`keys rotate ${id} --grace-period ${wrong}`);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("--grace-period must be a duration such as 30m, 24h or 7d (at most 30d), or 0 for none\n") as string,
      ]);
    }
  });

  test("revoke-leaked reads the key from stdin, and needs no token", async () => {
    const { id, key } = await make("leaked");
    const nobody = { cwd: "/", stdin: `${key}\n` };
    expect(await tollgate.text("keys revoke-leaked", nobody)).toBe(`Revoked ${id}: the leaked secret no longer works.\n`);
    expect(await statusOf(key)).toBe(401);
    const rotated = await make("rotated in time");
    const next = await tollgate.json<KeyView>(`keys rotate ${rotated.id}`);
    expect(await tollgate.text("keys revoke-leaked", { stdin: rotated.key })).toBe(
      `The leaked secret no longer works. Key ${rotated.id} has been rotated since, and its current secret still works.\n`,
    );
    expect([await statusOf(rotated.key), await statusOf(next.key)]).toEqual([401, 200]);
    await tollgate.text(`keys revoke ${rotated.id}`);
    expect(await tollgate.json<object>("keys revoke-leaked", { stdin: rotated.key })).toMatchObject({ key_still_works: false });
    const empty = await tollgate.run("keys revoke-leaked");
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining("the key is read from stdin") as string]);
    const unknown = await tollgate.run("keys revoke-leaked", { stdin: key.replace(/.$/, "_") });
    expect([unknown.code, unknown.stderr]).toEqual([1, "tollgate: There is no such key.\n"]);
    const asOperand = await tollgate.run(`keys revoke-leaked ${key}`);
    expect([asOperand.code, asOperand.stderr]).toEqual([2, expect.not.stringContaining(key) as string]);
  });

  test("revoking twice reports the first time, and is in the audit log once", async () => {
    const { id } = await make("ended");
    expect(await tollgate.text(`keys revoke ${id}`)).toBe(`Revoked ${id} (ended).\n`);
    const again = await tollgate.text(`keys revoke ${id}`);
    expect(again).toMatch(new RegExp(`^${id} \\(ended\\) was already revoked, at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\.\\n$`));
    expect((await tollgate.json<{ data: object[] }>(`audit log --action key.revoke --id ${id}`)).data).toHaveLength(1);
  });

  test("list filters by account, state and name, and paginates", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "lister", name: "Lister" });
    for (const name of ["one", "beta two", "beta it's three"]) await make(name, { account: "lister" });
    const first = await tollgate.text("keys list --account lister --search beta --limit 1");
    expect(first).toMatch(/^ID +STATE +EXPIRES +LAST USED +ACCOUNT +SPENT \(MONTH\) +MODELS +NAME\n\w{12} +active .* beta it's three\n/);
    const more = /^Next page: npx tollgate (.*)$/m.exec(first)![1]!;
    expect(more).toMatch(/^keys list --account lister --search beta --limit 1 --cursor \S+$/);
    const second = await tollgate.json<Page>(more);
    expect([second.data.map(({ name }) => name), second.next]).toEqual([["beta two"], null]);
    const all = await tollgate.json<Page>("keys list --account lister --all --limit 1");
    expect([all.data.map(({ name }) => name), all.next]).toEqual([["beta it's three", "beta two", "one"], null]);
    await tollgate.text(`keys revoke ${all.data[0]!.id}`);
    expect((await tollgate.json<Page>("keys list --account lister --state revoked")).data.map(({ name }) => name)).toEqual([
      "beta it's three",
    ]);
    expect(await tollgate.text("keys list --account nobody")).toBe("None found.\n");
    const wrong = await tollgate.run("keys list --state gone");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("--state must be one of active, paused, expired, revoked") as string,
    ]);
  });

  test("update sets and clears fields, and rejects a repeated option", async () => {
    const { id } = await make("changing");
    expect(await tollgate.json<KeyView>(`keys update ${id} --expires 2090-01-31`)).toMatchObject({
      expires_at: "2090-01-31T00:00:00.000Z",
    });
    expect(await tollgate.text(`keys show ${id}`)).toMatch(/^State +active, expires 2090-01-31 00:00:00 UTC$/m);
    expect(await tollgate.json<KeyView>(`keys update ${id} --expires none`)).toMatchObject({ expires_at: null });
    const twice = await tollgate.run(`keys update ${id} --name a --name b`);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("--name is given more than once") as string]);
  });
});

test("tollgate usage shows totals, and models keys the keys", async () => {
  const { id, key } = await gateway.makeKey();
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "one two three" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
  const byKey = (await tollgate.text(`usage --by key --key ${id}`)).split("\n");
  expect(byKey[0]).toMatch(/^KEY +KEY ID +REQUESTS +INPUT TOKENS +OUTPUT TOKENS +COST \(\$\)$/);
  expect(byKey[1]).toMatch(new RegExp(`^test +${id} +1 +3 +\\d+ +0\\.0000\\d+$`));
  expect(await tollgate.text(`usage --key ${id}`)).toMatch(/^MODEL +REQUESTS .*\necho +1 /);
  expect(await tollgate.text(`usage --by day --key ${id}`)).toStartWith("DAY ");
  expect((await tollgate.json<{ data: object[] }>(`usage --key ${id} --since 7d`)).data).toMatchObject([{ model: "echo", requests: 1 }]);
  expect(await tollgate.text("models keys echo")).toMatch(
    new RegExp(`^${id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d +1 +default +test$`, "m"),
  );
});
