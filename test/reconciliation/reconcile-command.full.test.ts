import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandRunner, type CommandRunner } from "../commands/command-runner.ts";
import { ask, callPlatform } from "../support/upstreams/money-upstream.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { startBillingUpstream, type BillingUpstream } from "./billing-upstream.ts";
import type { Format } from "./write-bill.ts";

const TODAY = new Date().toISOString().slice(0, 10);

let upstream: BillingUpstream;
let gateway: RunningGateway;
let tollgate: CommandRunner;
let key: string;

beforeAll(async () => {
  upstream = startBillingUpstream();
  gateway = await startGateway({ yaml: upstream.yaml });
  tollgate = commandRunner(gateway);
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function reconcile(csv: string, options = ""): Promise<Outcome> {
  writeFileSync(join(gateway.folder, "bill.csv"), csv);
  return tollgate.run(`reconcile --provider openai --upstream mock bill.csv ${options}`);
}

describe.serial("the provider's own books", () => {
  test("agree with the ledger in tokens and dollars, in each format", async () => {
    for (const more of [{}, { stream: true }, {}, { stream: true }]) await (await ask(gateway, key, "chat", "a question", more)).text();
    for (const format of ["openai_usage", "openai_costs", "plain"] satisfies Format[]) {
      const { code, stdout, stderr } = await reconcile(upstream.bill(format), "--threshold 0 --all");
      expect([format, code, stderr]).toEqual([format, 0, ""]);
      expect(stdout).toContain("compared with the upstream mock.\n");
      expect(stdout).toMatch(new RegExp(`^${TODAY} +gpt-4o-mini +input +3,606 +3,606 +0 +0\\.00$`, "m"));
      expect(stdout).toMatch(/^Total +output +206 +206 +0 +0\.00$/m);
      if (format !== "openai_usage") expect(stdout).toMatch(/^Total +dollars +0\.0006945 +0\.0006945 +0\.00 +0\.00$/m);
      const money =
        format === "openai_usage"
          ? "The bill has no amounts: only tokens were compared."
          : "Of $0.0006945 on the bill: $0.0006945 agreed, $0.00 differing, $0.00 not compared.";
      expect(stdout).toEndWith(
        `The bill covers ${TODAY}.\n${TODAY} is not over: both amounts may still grow.\n${money}\nThe bill and the ledger agree within 0 %.\n`,
      );
    }
  });

  test("do not agree when the tokens do and the amounts could not be compared", async () => {
    writeFileSync(join(gateway.folder, "bill.csv"), upstream.bill("plain"));
    // The base URL of the upstream does not belong to a known provider, so the costs of its models are unknown.
    const { code, stdout, stderr } = await tollgate.run("reconcile --upstream mock bill.csv");
    expect([code, stderr]).toEqual([1, "tollgate: $0.0006945 of the bill could not be compared\n"]);
    expect(stdout).toMatch(
      new RegExp(`^Not compared:\\nDAY +MODEL +BILL +LEDGER +REASON\\n${TODAY} +gpt-4o-mini +0.0006945 +\\? +no cost price$`, "m"),
    );
    expect(stdout).toContain("Of $0.0006945 on the bill: $0.00 agreed, $0.00 differing, $0.0006945 not compared.\n");
    expect(stdout).not.toContain("agree within");
  });

  test("include the whole of a stream that the client cut off: the report shows drift with its reason", async () => {
    const controller = new AbortController();
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "chat", stream: true, messages: [{ role: "user", content: "tell a story" }] }),
      signal: controller.signal,
    });
    await reply.body!.getReader().read();
    controller.abort();
    const requestId = reply.headers.get("x-request-id")!;
    await waitFor(() => gateway.logLines().some((line) => line["request_id"] === requestId));
    const { code, stdout, stderr } = await reconcile(upstream.bill("openai_costs"));
    expect([code, stderr]).toEqual([1, "tollgate: the bill and the ledger differ by more than 1 %\n"]);
    expect(stdout).toMatch(new RegExp(`^${TODAY} +gpt-4o-mini +output +210 +4,206 +\\+3,996 +\\+1902\\.86$`, "m"));
    expect(stdout).toMatch(/gpt-4o-mini +1 request of the ledger, with \d+ tokens, has no complete token counts from the upstream$/m);
    expect(stdout).toMatch(/^Of \$[\d.]+ on the bill: \$0.00 agreed, \$[\d.]+ differing, \$0.00 not compared.$/m);
  });

  test("include unanswered requests, which are not charged here, and the report shows them", async () => {
    expect((await ask(gateway, key, "hasty", "a riddle")).status).toBe(504);
    const { code, stdout } = await reconcile(upstream.bill("openai_usage"), "--json");
    expect(code).toBe(1);
    const { rows } = JSON.parse(stdout) as { rows: object[] };
    expect(rows).toMatchObject([{ matched_by: "date", reasons: { unmeasured_requests: 1, unanswered_attempts: 1 } }]);
    expect((await reconcile(upstream.bill("openai_usage"))).stdout).toContain("1 attempt failed or timed out and may be billed");
  });
});

/** The cost of a request to `house` at these rates per million tokens. */
async function askHouse(input: number, output: number): Promise<number> {
  const { usage } = (await (await ask(gateway, key, "house", "a question")).json()) as {
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  return (usage.prompt_tokens * input + usage.completion_tokens * output) / 1_000_000;
}

function routesAt(input: number, output: number): object {
  return { routes: [{ upstream: "rack", model: "gpt-4o-mini", cost: { input_per_million: input, output_per_million: output } }] };
}

describe.serial("the cost of a route", () => {
  test("is compared with the provider's bill: each request has the route's cost at that time", async () => {
    await callPlatform(gateway, "POST", "/api/models", { id: "house", free: true, ...routesAt(3, 5) });
    const first = await askHouse(3, 5);
    await callPlatform(gateway, "PATCH", "/api/models/house", routesAt(30, 50));
    const second = await askHouse(30, 50);
    await callPlatform(gateway, "PATCH", "/api/models/house", routesAt(0, 0));
    writeFileSync(join(gateway.folder, "bill.csv"), `date,model,cost\n${TODAY},gpt-4o-mini,${(first + second).toFixed(9)}\n`);
    const { code, stderr } = await tollgate.run("reconcile --upstream rack bill.csv --threshold 0");
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("is shown with the route", async () => {
    await callPlatform(gateway, "PATCH", "/api/models/house", routesAt(3, 5));
    const { stdout } = await tollgate.run("models show house");
    expect(stdout).toContain("rack/gpt-4o-mini, cost $3 input, $5 output per million tokens\n");
  });
});

describe("a bill", () => {
  test("with other models and days than the ledger is shown with both", async () => {
    const csv = `date,model,input_tokens,output_tokens,region\n2027-01-01,gpt-9,10,20,eu\n`;
    const { code, stdout } = await reconcile(csv, `--since 2026-12-31`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^2027-01-01 +gpt-9 +input +0 +10 +\+10$/m);
    expect(stdout).toContain("Days on the bill but not in the ledger: 2027-01-01.\n");
    expect(stdout).toContain("Models on the bill but not in the ledger: gpt-9.\n");
    expect(stdout).toContain("Ignored columns of the bill: region.\n");
  });

  test("does not agree when the compared days are not its own", async () => {
    const { code, stdout, stderr } = await reconcile("date,model,cost\n2027-01-01,gpt-9,5000\n", "--since 2027-01-02 --until 2027-01-03");
    expect([code, stderr]).toEqual([1, "tollgate: $5000.00 of the bill could not be compared\n"]);
    expect(stdout).toMatch(/^2027-01-01 +gpt-9 +5000.00 +outside the compared days$/m);
  });

  test("does not agree when the ledger has nothing of it", async () => {
    const { code, stderr } = await reconcile("date,model,cost\n2027-01-01,gpt-9,5000\n");
    const why = "the bill and the ledger differ by more than 1 %; $5000.00 of the bill could not be compared";
    expect([code, stderr]).toEqual([1, `tollgate: ${why}\n`]);
  });

  test("with all rows within the threshold still has its totals", async () => {
    const csv = `date,model,output_tokens\n2027-01-01,gpt-9,0\n`;
    const { code, stdout } = await reconcile(csv);
    expect([code, stdout.includes("Total  output        0     0           0     0.00\n")]).toEqual([0, true]);
  });

  test("has its first and last day, which reveals a file that was cut off between two lines", async () => {
    const lines = ["date,model,output_tokens", "2027-01-01,gpt-9,0", "2027-01-02,gpt-9,0", "2027-01-03,gpt-9,0"];
    const saysOf = async (count: number, options?: string): Promise<string | undefined> =>
      /^The bill covers .*$/m.exec((await reconcile(lines.slice(0, count).join("\n"), options)).stdout)?.[0];
    expect(await saysOf(4)).toBe("The bill covers 2027-01-01 to 2027-01-03.");
    expect(await saysOf(3)).toBe("The bill covers 2027-01-01 to 2027-01-02.");
    expect(await saysOf(3, "--since 2026-12-31 --until 2027-01-03")).toBe("The bill covers 2027-01-01 to 2027-01-02.");
    expect(await saysOf(1, "--since 2027-01-01 --until 2027-01-03")).toBe("The bill covers no days.");
  });

  const cases: [string, string, string, string][] = [
    [
      "a wrong cell",
      "date,model,cost\n2027-01-01,m,much\n",
      "",
      'bill.csv: line 2, column cost: must be an amount of dollars, such as 0.0045, not "much".',
    ],
    [
      "semicolons",
      "date;model;input_tokens\n2027-01-01;m;5\n",
      "",
      "bill.csv: line 1: cells must be separated by commas, but this file seems to use ;.",
    ],
    [
      "too many days",
      "date,model,cost\n2027-01-01,m,1\n2029-01-01,m,1\n",
      "",
      "--since must be at most 366 days before --until: the days are 2027-01-01 to 2029-01-01.",
    ],
    ["no records", "date,model,cost\n", "", "bill.csv has no records, so specify its days with --since and --until."],
    ["a zone that is none", "date,model,cost\n", "--zone Mars", "--zone must be the name of a time zone, such as Europe/Berlin."],
    ["an offset for a zone", "date,model,cost\n", "--zone +01:00", "--zone must be the name of a time zone, such as Europe/Berlin."],
    ["days the wrong way round", "date,model,cost\n", "--since 2027-01-02 --until 2027-01-01", "--since must not be after --until."],
    ["a day that is none", "date,model,cost\n", "--since 2027-02-30 --until 2027-03-01", "--since must be a day such as 2027-01-31."],
  ];
  for (const [what, csv, options, message] of cases) {
    test(`with ${what} is rejected`, async () => {
      const { code, stderr } = await reconcile(csv, options);
      expect([code, stderr]).toEqual([1, `tollgate: ${message}\n`]);
    });
  }

  test("of a provider without upstreams here must name its upstreams", async () => {
    const { code, stderr } = await tollgate.run("reconcile --provider anthropic bill.csv");
    expect([code, stderr]).toEqual([
      1,
      "tollgate: --provider has no known upstream at Anthropic: name the billed upstreams in --upstream.\n",
    ]);
    expect((await tollgate.run("reconcile bill.csv")).stderr).toBe(
      "tollgate: Choose a provider or an upstream with --provider, --upstream, or both.\n",
    );
  });

  test("is compared with the named upstreams, repeated or separated by commas, and rejected with an unknown one", async () => {
    writeFileSync(join(gateway.folder, "bill.csv"), "date,model,output_tokens\n2027-01-01,m,0\n");
    await callPlatform(gateway, "POST", "/api/upstreams", { id: "spare", dialect: "openai", base_url: "https://spare.example.com/v1" });
    for (const named of ["mock,spare", "mock --upstream spare"]) {
      expect((await tollgate.run(`reconcile --upstream ${named} bill.csv`)).stdout).toContain("compared with the upstreams mock, spare.\n");
    }
    const { code, stderr } = await tollgate.run("reconcile --upstream mock,nope bill.csv");
    const why = "which is not an upstream and has no ledger entries from 2027-01-01 to 2027-01-01";
    expect([code, stderr]).toEqual([1, `tollgate: --upstream names "nope", ${why}.\n`]);
  });

  test("that cannot be read, or an invalid command line, is reported before the platform is called", async () => {
    expect((await tollgate.run("reconcile --provider openai none.csv")).stderr).toBe("tollgate: none.csv cannot be read: ENOENT\n");
    writeFileSync(join(gateway.folder, "latin.csv"), Buffer.from("date,model,cost\n2027-01-01,caf\xe9,1\n", "latin1"));
    expect((await tollgate.run("reconcile --provider openai latin.csv")).stderr).toBe("tollgate: latin.csv is not UTF-8 text\n");
    const wrong = await tollgate.run("reconcile --provider openai bill.csv --threshold much");
    expect([wrong.code, wrong.stderr.split("\n")[0]]).toEqual([2, 'tollgate: --threshold must be a percentage, such as 0.5, not "much"']);
  });

  test("may have a few megabytes, and no more", async () => {
    const line = `2027-01-01,m,1,${"x".repeat(60)}\n`;
    const large = await callPlatform(gateway, "POST", "/api/reconciliations", {
      upstreams: ["mock"],
      csv: `date,model,cost,note\n${line.repeat(60_000)}`,
    });
    expect([large.status, large.body["bill"]]).toMatchObject([200, { lines: 60_000 }]);
    const csv = "x".repeat(8 * 1024 * 1024);
    expect(await callPlatform(gateway, "POST", "/api/reconciliations", { upstreams: ["mock"], csv })).toMatchObject({ status: 413 });
  });
});
