import { afterAll, beforeAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";

let gateway: RunningGateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

interface Changes {
  readonly data: readonly { readonly action: string; readonly actor: string; readonly after: Record<string, unknown> }[];
}

const changesOf = (query: string): Promise<Changes> => gateway.platform<Changes>("GET", `/api/audit-log?${query}`);

test("a grant and its audit record are written in one transaction", async () => {
  const file = new Database(join(gateway.folder, "data", "tollgate.db"));
  // The gateway writes to the same file.
  file.run("pragma busy_timeout = 120000");
  file.run(`create trigger full before insert on changes when new.action = 'credit.grant' begin select raise(abort, 'full'); end`);
  const grant = { amount: "5", reference: "atomic", reason: "a test" };
  expect(gateway.platform("POST", "/api/accounts/default/grants", grant)).rejects.toThrow();
  expect(file.query("select count(*) as n from entries where reference = 'atomic'").get()).toEqual({ n: 0 });
  file.run("drop trigger full");
  file.close();
  // The ledger retries by itself, as with everything that could not be written.
  const { data } = await eventually(
    () => changesOf("action=credit.grant"),
    (changes) => changes.data.some(({ after }) => after["reference"] === "atomic"),
  );
  expect(data.filter(({ after }) => after["reference"] === "atomic")).toHaveLength(1);
  await gateway.platform("POST", "/api/accounts/default/grants", grant);
  expect((await changesOf("action=credit.grant")).data.filter(({ after }) => after["reference"] === "atomic")).toHaveLength(1);
});

test("the starting credit is in the audit log", async () => {
  const { data } = await changesOf("action=credit.grant&actor=tollgate");
  expect(data).toMatchObject([{ after: { amount: "10.00", reason: "starting credit" } }]);
});

test("a stored Idempotency-Key result does not confirm a guess of the secret in it", async () => {
  const body = JSON.stringify({ id: "sealed", dialect: "openai", base_url: "https://a.example/v1", credential: "sk-guessable" });
  const headers = { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json", "idempotency-key": "u" };
  expect((await fetch(`${gateway.platformUrl}/api/upstreams`, { method: "POST", headers, body })).status).toBe(201);
  const file = new Database(join(gateway.folder, "data", "tollgate.db"), { readonly: true });
  const { digest } = file.query("select digest from changes where idempotency_key = 'u'").get() as { digest: string };
  file.close();
  expect(digest).toHaveLength(64);
  expect(digest).not.toBe(new Bun.CryptoHasher("sha256").update(`POST /api/upstreams\n${body}`).digest("hex"));
});

test("the name of an unknown field is not logged: it may be a secret in the wrong place", async () => {
  await fetch(`${gateway.platformUrl}/api/me?${gateway.operatorToken}=1`);
  await fetch(`${gateway.platformUrl}/api/me?${gateway.operatorToken}=1`, {
    headers: { authorization: `Bearer ${gateway.operatorToken}` },
  });
  const last = await fetch(`${gateway.platformUrl}/${gateway.operatorToken}`);
  await waitFor(() => gateway.output().includes(last.headers.get("x-request-id")!));
  expect(gateway.output()).toContain("unsupported_parameter");
  expect(gateway.output()).not.toContain(gateway.operatorToken.slice("tollgate-operator-".length));
});
