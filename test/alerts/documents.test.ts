import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALERT_KINDS, bodyOfAlert, makeAlert, TEST_KIND } from "../../src/alerts/alert.ts";
import { plainModel } from "../../src/models/catalog.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { issueKey } from "../../src/access/api-key.ts";
import { NO_LIMITS } from "../../src/money/limits.ts";
import { FREE, makePrice } from "../../src/money/price.ts";
import { parseDollars } from "../../src/money/money.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { makeWebhook } from "../../src/alerts/webhook.ts";
import { signedHeaders } from "../../src/alerts/delivery/webhook-signature.ts";
import { findProgram } from "../clients/system-program.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { CHANGE, ClockedAlerts } from "./clocked-alerts.ts";

const PAGE = readFileSync(join(ROOT, "docs/alerts.md"), "utf8");

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

const examples = new Map(
  [...PAGE.matchAll(/^### `([^`]+)`\n[^]*?```json\n([^]*?)```/gm)].map(([, kind, body]) => [kind!, JSON.parse(body!) as Body]),
);

/** The paths of all fields. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
}

test("docs/alerts.md has an example of every kind of alert, and of no other", () => {
  expect([...examples.keys()]).toEqual([...ALERT_KINDS, TEST_KIND]);
  for (const [kind, { type, timestamp }] of examples) expect([type, Date.parse(timestamp) > 0]).toEqual([kind, true]);
});

test("raised alerts have the fields of their examples", async () => {
  const alerts = await ClockedAlerts.open();
  const { stores, clock } = alerts;
  const webhook = await alerts.addWebhook("https://hooks.example/");
  const caps = { dayNanos: null, monthNanos: parseDollars("30")!, totalNanos: parseDollars("70")! };
  const wanted = { name: "k", accountId: "default", models: ["*"], limits: NO_LIMITS, caps, expiresAtMs: null };
  const { record } = issueKey(wanted, new Secret("hash"), clock.nowMs);
  await stores.keys.add(record, CHANGE);
  const picos = { inputPicos: 1n, cachedInputPicos: 1n, cacheWritePicos: 1n, outputPicos: 1n, reasoningPicos: 1n };
  const cost = makePrice({ effectiveAtMs: 0, source: "operator", rates: picos, tiers: [] });
  const model = plainModel("m", { upstream: "u", upstreamModel: "m" });
  const state = { name: "deprecated", shutdownDate: "2027-03-12", replacement: "n" } as const;
  const identity = {
    kind: "azure",
    tenantId: "t",
    clientId: "c",
    clientSecret: new Secret("s"),
    certificate: undefined,
    cloud: "public",
  } as const;
  const declared = {
    upstreams: [{ ...remoteAt("u", undefined, { baseUrl: "https://u.example/v1", allowPrivate: false }, []), identity }],
    catalog: new Map([["m", { ...model, state, prices: [FREE], routes: [{ ...model.routes[0]!, cost }] }]]),
  };
  await stores.catalog.declare("environment", () => ({ declared, announcements: [] }));
  stores.lastUsed.noteModel(record.id, "m", clock.nowMs);
  const route = { upstreamModel: "m", probeDueInMs: 0, inFlight: 0, latencyMs: undefined };
  alerts.health = [{ ...route, state: "ejected", recent: { calls: 5, failures: 5 } }];
  alerts.identity = { source: undefined, expiresAtMs: undefined, failure: "no", refreshFailures: 1, clockSkewMs: 0 };
  alerts.usage = { implausibleUsages: 1, unpricedUsages: 1, unpricedFields: ["usage.search_units"] };
  await alerts.grant("60");
  for (let hour = 0; hour < 26; hour++) {
    await alerts.spend("0.5", record.id);
    await alerts.watcher.evaluate();
    clock.nowMs += 3_600_000;
  }
  alerts.health = [{ ...route, state: "healthy", recent: { calls: 1, failures: 0 } }];
  alerts.identity = { ...alerts.identity, source: "a client secret", failure: undefined };
  await alerts.spend("47", record.id);
  await alerts.watcher.evaluate();
  const raised = new Map((await alerts.told(webhook)).map((body) => [body.type as string, body]));
  expect([...raised.keys()].toSorted()).toEqual([...ALERT_KINDS].toSorted());
  for (const [kind, body] of raised) expect([kind, fieldsOf(body)]).toEqual([kind, fieldsOf(examples.get(kind))]);
  await alerts.stop();
});

/** The first code block in a language. */
function codeIn(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE)![1]!;
}

describe("the code in docs/alerts.md", () => {
  const body = bodyOfAlert(makeAlert("credit.low", { account: { id: "acme", name: "Zoë’s “team”" } }, Date.now()));
  const { secret } = makeWebhook({ name: "a", url: "", allowPrivate: false, kinds: null, paused: null }, 0);
  const other = makeWebhook({ name: "b", url: "", allowPrivate: false, kinds: null, paused: null }, 0).secret;
  const signed = (ageMs = 0): Record<string, string> => signedHeaders({ id: "msg_1", atMs: Date.now() - ageMs, body }, [other, secret]);
  /** Headers and bodies, and whether the code must accept them. */
  const cases: [headers: Record<string, string>, body: string, isGood: boolean][] = [
    [signed(), body, true],
    [signed(), body.replace("acme", "acne"), false],
    [{ ...signed(), "webhook-id": "msg_2" }, body, false],
    [signed(10 * 60_000), body, false],
    [{ ...signed(), "webhook-timestamp": "soon" }, body, false],
    [{ ...signed(), "webhook-signature": "v1,AAAA" }, body, false],
  ];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-snippets-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("in TypeScript accepts authentic fresh messages, and nothing else", async () => {
    const file = join(folder, "verify.ts");
    writeFileSync(file, codeIn("ts"));
    const { verify } = (await import(file)) as { verify: (headers: Headers, text: string, secret: string) => Body };
    for (const [headers, text, isGood] of cases) {
      const outcome = (): Body => verify(new Headers(headers), text, secret.reveal());
      if (isGood) expect(outcome()).toEqual(JSON.parse(text) as Body);
      else expect(outcome).toThrow();
    }
  });

  const python = findProgram(["python3"], "python3-minimal");
  test.skipIf(python === undefined)("in Python does the same", async () => {
    const harness = `
import sys
def outcome(case):
    try:
        return verify(case["headers"], case["body"].encode(), case["secret"])
    except ValueError:
        return None
print(json.dumps([outcome(case) for case in json.load(sys.stdin)]))
`;
    writeFileSync(join(folder, "verify.py"), codeIn("python") + harness);
    const input = JSON.stringify(cases.map(([headers, text]) => ({ headers, body: text, secret: secret.reveal() })));
    const child = Bun.spawn([python!, join(folder, "verify.py")], { stdin: Buffer.from(input), stdout: "pipe", stderr: "inherit" });
    const outcomes: unknown = JSON.parse(await child.stdout.text());
    expect(outcomes).toEqual(cases.map(([, text, isGood]) => (isGood ? (JSON.parse(text) as Body) : null)));
  });
});
