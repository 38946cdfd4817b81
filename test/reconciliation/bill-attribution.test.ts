import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hold, settlement, USAGE } from "../support/money/ledger-samples.ts";
import { openPlatform, OPERATOR, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

let platform: PlatformInProcess;

const UPSTREAMS = {
  "by-preset": { preset: "openai" },
  "by-address": { dialect: "openai", base_url: "https://api.openai.com/v1" },
  elsewhere: { dialect: "openai", base_url: "https://models.example.com/v1" },
  claude: { preset: "anthropic" },
};

beforeAll(async () => {
  platform = await openPlatform();
  for (const [id, how] of Object.entries(UPSTREAMS)) {
    expect((await platform.call(OPERATOR, "createUpstream", { body: { id, credential: "c", ...how } })).status).toBe(201);
  }
  const { ledger } = platform.stores;
  // 23:30 UTC, which is the next day in Berlin.
  const atMs = Date.parse("2027-01-30T23:30:00Z");
  for (const upstream of [...Object.keys(UPSTREAMS), "gone"]) {
    await ledger.hold(hold(upstream, 1n, { atMs }));
    await ledger.settle(upstream, settlement(1n, { atMs, upstream, upstreamModel: "gpt-4o-mini" }));
  }
});
afterAll(() => platform.stop());

function reconcile(body: object): Promise<CallResult> {
  return platform.call(OPERATOR, "reconcileBill", {
    body: { csv: "date,model,output_tokens\n", from: "2027-01-30", to: "2027-01-31", ...body },
  });
}

/** The compared upstreams, and the days and output of the rows. */
async function outcomeOf(body: object): Promise<unknown[]> {
  const { upstreams, rows } = (await reconcile(body)).body as {
    upstreams: string[];
    rows: { day: string; output_tokens: { ledger: number } }[];
  };
  return [upstreams.toSorted(), ...rows.map((row) => [row.day, row.output_tokens.ledger])];
}

const OUTPUT = USAGE.completionTokens;

describe("a bill is compared with", () => {
  test("the upstreams of its provider, by preset or base URL, and no others", async () => {
    expect(await outcomeOf({ provider: "openai" })).toEqual([
      ["by-address", "by-preset"],
      ["2027-01-30", 2 * OUTPUT],
    ]);
    expect(await outcomeOf({ provider: "anthropic" })).toEqual([["claude"], ["2027-01-30", OUTPUT]]);
  });

  test("the named upstreams of any provider, including removed ones", async () => {
    expect(await outcomeOf({ upstreams: ["elsewhere", "gone", "gone"] })).toEqual([
      ["elsewhere", "gone"],
      ["2027-01-30", 2 * OUTPUT],
    ]);
  });

  test("no upstream that neither exists nor has ledger entries on these days", async () => {
    const why = "which is not an upstream and has no ledger entries";
    const refused = (id: string, days: string): object => ({
      status: 400,
      body: { code: "invalid_value" },
      text: `upstreams names "${id}", ${why} from ${days}.`,
    });
    expect(await reconcile({ upstreams: ["elsewhere", "nope"] })).toMatchObject(refused("nope", "2027-01-30 to 2027-01-31"));
    expect(await reconcile({ upstreams: ["gone"], from: "2027-01-31" })).toMatchObject(refused("gone", "2027-01-31 to 2027-01-31"));
    expect(await reconcile({ upstreams: ["claude"], from: "2027-01-31" })).toMatchObject({ status: 200 });
  });

  test("nothing: it is rejected without a provider and upstreams", async () => {
    expect(await reconcile({})).toMatchObject({ status: 400, body: { code: "missing_required_parameter" } });
    expect(await reconcile({ provider: "groq" })).toMatchObject({ status: 400, body: { code: "invalid_value" } });
    expect(await reconcile({ provider: "openai", unknown: 1 })).toMatchObject({ status: 400, body: { code: "unsupported_parameter" } });
  });

  test("the days of a time zone: the same request is on another day in Berlin", async () => {
    expect(await outcomeOf({ provider: "anthropic", zone: "Europe/Berlin" })).toEqual([["claude"], ["2027-01-31", OUTPUT]]);
  });
});

/** The cost of the ledger's tokens. */
async function costOf(body: object): Promise<string | null> {
  const { body: report } = await reconcile({ csv: "date,model,cost\n", ...body });
  return (report["rows"] as { cost: { ledger: string | null } }[])[0]!.cost.ledger;
}

test("uses the provider's list prices if it is named, otherwise the list prices of the upstreams' base URLs", async () => {
  // 4 uncached tokens, 3 cached, 4 written to a cache and 22 output tokens, at gpt-4o-mini's price.
  const known = await costOf({ provider: "openai", upstreams: ["by-preset"] });
  expect(Number(known)).toBeCloseTo(0.0000144, 6);
  expect(await costOf({ provider: "openai", upstreams: ["gone"] })).toBe(known);
  expect(await costOf({ upstreams: ["by-address"] })).toBe(known);
  expect(await costOf({ upstreams: ["elsewhere"] })).toBeNull();
  expect(await costOf({ provider: "anthropic", upstreams: ["claude"] })).toBeNull();
});

test("stores nothing of a bill", async () => {
  const before = await platform.call(OPERATOR, "listChanges");
  await reconcile({ provider: "openai", csv: "date,model,cost\n2027-01-30,secret-model,1\n" });
  expect((await platform.call(OPERATOR, "listChanges")).text).toBe(before.text);
});
