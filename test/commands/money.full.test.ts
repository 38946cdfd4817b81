import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startFakePlatform } from "./fake-platform.ts";
import { ask, requestIdOf, startMoneyUpstream, usageOf, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";
import { runTollgate, type Outcome } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let upstream: MoneyUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = startMoneyUpstream();
  gateway = await startGateway({ yaml: `${upstream.yaml}  - { id: unpriced, routes: [{ upstream: mock, model: x }] }\n` });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Runs a command line, written as a user would type it; words with spaces are in quotes. */
function tollgate(line: string): Promise<Outcome> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  return runTollgate(gateway, words);
}

async function json<T>(line: string): Promise<T> {
  const { stdout, stderr } = await tollgate(`${line} --json`);
  expect(stderr).toBe("");
  return JSON.parse(stdout) as T;
}

describe("tollgate accounts", () => {
  test("create, list, show and update an account; none clears a field", async () => {
    const limits = "--requests-per-minute 60 --tokens-per-minute 100000 --concurrent 4 --daily-cap 5 --monthly-cap 20.5 --total-cap none";
    expect(await tollgate(`accounts create acme --name 'Acme Inc.' ${limits}`)).toMatchObject({
      code: 0,
      stdout: "Created account acme (Acme Inc.). Grant it credit: npx tollgate credits grant acme 10 --reason '…'\n",
    });
    expect(await json<object>("accounts show acme")).toMatchObject({
      limits: { requests_per_minute: 60, tokens_per_minute: 100_000, concurrent_requests: 4 },
      caps: { day: "5.00", month: "20.50", total: null },
    });
    const shown = (await tollgate("accounts show acme")).stdout;
    expect(shown).toMatch(/^Account +acme \(Acme Inc\.\)$/m);
    expect(shown).toMatch(/^Spent today +\$0\.00 of \$5\.00 cap$/m);
    expect(shown).toMatch(/^Spent in total +\$0\.00$/m);
    expect(shown).toMatch(/^Limits +60 requests per minute, 100,000 tokens per minute, 4 concurrent requests$/m);
    const updated = await json<object>("accounts update acme --name Acme --daily-cap none --concurrent none --total-cap 9 --log-bodies on");
    expect(updated).toMatchObject({
      name: "Acme",
      limits: { requests_per_minute: 60, tokens_per_minute: 100_000, concurrent_requests: null },
      caps: { day: null, month: "20.50", total: "9.00" },
      log_bodies: true,
    });
    expect((await tollgate("accounts show acme")).stdout).toMatch(/^Logging +prompts and responses$/m);
    expect(await json<object>("accounts update acme --log-bodies off")).toMatchObject({ name: "Acme", log_bodies: false });
    expect(updated).toMatchObject({ show_credit: true });
    expect(await json<object>("accounts update acme --show-credit off")).toMatchObject({ show_credit: false });
    expect((await tollgate("accounts show acme")).stdout).toMatch(/^Key holders +do not see its credit$/m);
    const perUser = "--requests-per-minute none --tokens-per-minute none --user-requests-per-minute 2 --metadata-tags team,env";
    const limited = (await tollgate(`accounts update acme ${perUser}`)).stdout;
    expect(limited).toMatch(/^Each end user +2 requests per minute$/m);
    expect(limited).not.toMatch(/^Limits/m);
    expect(limited).toMatch(/^Attribution +plain; tags from metadata: team, env$/m);
    const off = (await tollgate("accounts update acme --user-requests-per-minute none --attribution off")).stdout;
    expect(off).toMatch(/^Limits +none$/m);
    expect(off).toMatch(/^Attribution +off$/m);
    expect(await json<object>("accounts create plain")).toMatchObject({ id: "plain", name: "plain", caps: { day: null } });
    expect((await tollgate("accounts list")).stdout).toMatch(
      /^ID +CREDIT +RESERVED +SPENT \(MONTH\) +NAME\nacme +0\.00 +0\.00 +0\.00 +Acme\n/,
    );
  });
});

describe("tollgate credits", () => {
  test("grant and adjust report a repeated reference; an amount may be negative", async () => {
    await tollgate("accounts create paying");
    const granted = await tollgate("credits grant paying 112.50 --reason 'invoice 17' --reference inv-17");
    expect(granted.stdout).toMatch(/^Recorded entry \d+: grant of \$112\.50 to paying \(reference inv-17\)\.\n$/);
    const again = await tollgate("credits grant paying 112.50 --reason 'invoice 17' --reference inv-17");
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Nothing recorded: entry \d+ of \d{4}-\d\d-\d\d already has the reference inv-17: grant of \$112\.50 to paying\./,
      ),
    ]);
    expect(await json<object>("credits adjust paying -2.5 --reason 'a slip'")).toMatchObject({ amount: "-2.50", is_new: true });
    expect((await tollgate("credits adjust paying --reason=-1 -0.000000001")).stdout).toContain(
      "adjustment of -$0.000000001 for paying (reference cli-",
    );
    expect(await json<object>("accounts show paying")).toMatchObject({ credit: "109.999999999" });
    const listed = (await tollgate("credits list paying")).stdout.split("\n");
    expect(listed[0]).toMatch(/^NO\. +ID +TIME \(UTC\) +KIND +AMOUNT +REQUEST OR REFERENCE +REASON$/);
    expect(listed.slice(1, 4).map((line) => line.trim().split(/ {2,}/).slice(3, 5).join(" "))).toEqual([
      "adjustment -0.000000001",
      "adjustment -2.50",
      "grant 112.50",
    ]);
    const points = listed.slice(1, 4).map((line) => line.indexOf("."));
    expect(new Set(points).size).toBe(1);
    const page = await tollgate("credits list paying --limit 1");
    const next = /^Next page: npx tollgate (credits list paying --limit 1 --cursor \S+)$/m.exec(page.stdout)![1]!;
    expect((await json<{ data: { amount: string }[] }>(next)).data.map((entry) => entry.amount)).toEqual(["-2.50"]);
  });
});

describe("tollgate keys", () => {
  test("create, update and show the limits of a key on an account", async () => {
    await tollgate("accounts create owner");
    const made = await tollgate("keys create --name app --models '*' --account owner --concurrent 2 --monthly-cap 1.5");
    const id = /^Key (\w{12}) of account owner for \*\./m.exec(made.stdout)![1]!;
    const updated = await tollgate(`keys update ${id} --name better --models 'a, b-*' --concurrent none --daily-cap 0.5`);
    expect(updated.stdout).toMatch(
      /^Key +\w{12} \(better\) of account owner\nState +active\nCreated +.* UTC\nLast used +never\nModels +a, b-\*\n/,
    );
    expect((await tollgate(`keys show ${id}`)).stdout).toBe(updated.stdout);
    expect(await json<object>(`keys update ${id} --total-cap 3`)).toMatchObject({
      name: "better",
      account: "owner",
      models: ["a", "b-*"],
      limits: { concurrent_requests: null },
      caps: { day: "0.50", month: "1.50", total: "3.00" },
    });
    expect((await tollgate("keys list")).stdout).toMatch(new RegExp(`^${id} +active .* owner +0\\.00 +a,b-\\* +better$`, "m"));
  });
});

describe("tollgate receipt", () => {
  test("itemizes the cost of a request, aligned by the decimal point", async () => {
    const { key } = await gateway.makeKey();
    const details = { prompt_tokens_details: { cached_tokens: 31, cache_write_tokens: 9 } };
    const requestId = requestIdOf(await ask(gateway, key, "counted", usageOf(900, 20, details)));
    const { code, stdout } = await tollgate(`receipt ${requestId}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Request +${requestId}\nAccount +default, key `));
    expect(stdout).toMatch(/^Model +counted, served by mock as counted in 1 attempt$/m);
    expect(stdout).toMatch(/^Ended +.* UTC: complete$/m);
    const money = stdout.split("\n\n")[1]!.trimEnd().split("\n");
    expect(money.map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
      "input 860 × $1 per million $0.00086",
      "cached input 31 × $0.0375 per million $0.0000011625",
      "cache write 9 × $1.25 per million $0.00001125",
      "output 20 × $2 per million $0.00004",
      "Charged $0.000912413",
      expect.stringMatching(/^Reserved \$0\.\d+$/),
    ]);
    expect(new Set(money.map((line) => line.lastIndexOf("$"))).size).toBe(1);
    expect(await json<object>(`receipt ${requestId}`)).toMatchObject({ request_id: requestId, charged: "0.000912413" });
  });

  test("for a member has no upstream", async () => {
    const { key } = await gateway.makeKey();
    const requestId = requestIdOf(await ask(gateway, key, "counted", usageOf(9, 2)));
    const {
      upstream: _,
      upstream_model: __,
      failed_attempts: ___,
      derived_from: ____,
      ...seen
    } = await json<Record<string, unknown>>(`receipt ${requestId}`);
    const platform = startFakePlatform(() => Response.json(seen));
    const env = { TOLLGATE_PLATFORM_URL: platform.url, TOLLGATE_ACCESS_TOKEN: "a-token-that-is-long-enough" };
    const { stdout } = await runTollgate(gateway, ["receipt", requestId], { env });
    await platform.stop();
    expect(stdout).toMatch(/^Model +counted, served in 1 attempt$/m);
  });

  test("of a failed request has the reason, and no charge", async () => {
    const { key } = await gateway.makeKey();
    const { stdout } = await tollgate(`receipt ${requestIdOf(await ask(gateway, key, "broken", "hi"))}`);
    expect(stdout).toMatch(/^Ended +.* UTC: upstream_error$/m);
    expect(stdout).toMatch(/^ {2}Charged +\$0\.00$/m);
  });
});

test("tollgate models shows the price of each model, if any", async () => {
  const lines = (await tollgate("models list")).stdout.split("\n");
  const prices = lines.slice(1, -1).map((line) => line.split(/ {2,}/).slice(0, 3));
  expect(prices).toEqual([
    ["broken", "available", "$1 / $2"],
    ["counted", "available", "$1 / $2 (tiers)"],
    ["gratis", "available", "free"],
    ["paired", "available", "$1 / $2"],
    ["slow", "available", "$1 / $2"],
    ["unpriced", "available", "none (rejected)"],
  ]);
});

describe("an invalid amount or account", () => {
  const cases: [string, number, RegExp][] = [
    ["credits grant default", 2, /expected ACCOUNT and AMOUNT\nTry: npx tollgate credits grant --help/],
    ["credits grant default 5", 2, /give a reason: --reason/],
    ["credits grant default -5 --reason x", 1, /AMOUNT must be an amount of dollars/],
    ["credits grant default five --reason x", 2, /AMOUNT must be an amount in dollars, such as 12\.50, not "five"/],
    ["credits adjust default 0 --reason x", 1, /AMOUNT must not be 0/],
    ["credits grant nobody 5 --reason x", 1, /There is no account with the id "nobody"/],
    ["credits list nobody", 1, /There is no account with the id "nobody"/],
    ["credits list default --limit 0", 2, /--limit must be between 1 and 1000, not 0/],
    ["credits list default --limit 5000", 2, /--limit must be between 1 and 1000, not 5000/],
    ["credits grant default 5 -x --reason x", 2, /-x/],
    ["accounts create default", 1, /The account default already exists/],
    ["accounts create Default", 1, /ID must be 1 to 63 of a-z/],
    ["accounts create x --concurrent many", 2, /--concurrent must be a whole number, or none/],
    ["accounts create x --daily-cap -5", 1, /--daily-cap must be an amount of dollars/],
    ["accounts create x --attribution off --user-daily-cap 1", 1, /--user-daily-cap needs attribution: clear it, or set --attribution of/],
    ["accounts create x --attribution off --user-concurrent 1", 1, /--user-concurrent needs attribution/],
    ["accounts update default", 2, /give at least one option to change/],
    ["keys show nobody", 1, /There is no key with the id "nobody"/],
    ["keys update nobody --name x", 1, /There is no key with the id "nobody"/],
    ["keys create --name a --models * --account nobody", 1, /"nobody" does not exist/],
    ["receipt req_nobody", 1, /The ledger has no request with this id/],
    ["audit everything", 2, /this command takes no arguments/],
  ];
  for (const [line, code, message] of cases) {
    test(`${line} exits with ${code} and says why, on stderr`, async () => {
      const outcome = await tollgate(line);
      expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
      expect(outcome.stderr).toMatch(message);
    });
  }
});
