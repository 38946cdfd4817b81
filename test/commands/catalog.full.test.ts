import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { commandRunner, type CommandRunner } from "./command-runner.ts";

const CREDENTIAL = "sk-canary-of-the-command-line";

/** An upstream that lists two models to requests with the credential. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers }) =>
    headers.get("authorization") === `Bearer ${CREDENTIAL}`
      ? Response.json({ object: "list", data: [{ id: "a" }, { id: "b" }] })
      : Response.json({ error: { message: "who are you?" } }, { status: 401 }),
});
const address = `http://127.0.0.1:${upstream.port}/v1`;

let gateway: RunningGateway;
let tollgate: CommandRunner;

beforeAll(async () => {
  gateway = await startGateway();
  tollgate = commandRunner(gateway);
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

describe("tollgate upstreams", () => {
  test("reads a credential from stdin, tests it, and never shows it", async () => {
    const made = await tollgate.text(
      `upstreams create box --dialect openai --base-url ${address} --allow-private yes --non-streamed-ms 4000 --total-ms 5000`,
    );
    expect(made).toMatch(/^Credential +none$/m);
    expect(made).toMatch(/^Timeouts +.*, not streamed 4,000 ms, total 5,000 ms$/m);
    const refused = await tollgate.run("upstreams test box");
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^Status 401 in \d+ ms\.\n$/) as string]);
    expect(refused.stderr).toStartWith("tollgate: the upstream is not usable: ");
    expect(await tollgate.text("upstreams credential set box", { stdin: `${CREDENTIAL}\n` })).toBe("Set the credential of box: …line.\n");
    expect(await tollgate.text("upstreams test box")).toMatch(/^OK: the upstream lists 2 models, in \d+ ms\.\n$/);
    const moved = await tollgate.run("upstreams update box --base-url http://127.0.0.1:9/v1");
    expect([moved.code, moved.stderr]).toEqual([
      1,
      expect.stringContaining("the credential, by --credential-stdin, is required with another --base-url: ") as string,
    ]);
    expect(await tollgate.text("upstreams update --help")).toContain("Fields that are not given stay unchanged");
    const listed = await tollgate.text("upstreams list");
    expect(listed).toMatch(new RegExp(`^box +openai +${address} +…line +operator$`, "m"));
    expect(await tollgate.text("upstreams credential remove box")).toBe("Removed. Credentials of box: none.\n");
    const again = await tollgate.json<object>("upstreams update box --credential-stdin", { stdin: CREDENTIAL });
    expect(again).toMatchObject({ credentials: [{ last4: "line" }] });
    const everything = [made, listed, JSON.stringify(again), await tollgate.text("audit log --json"), gateway.output()].join("");
    expect(everything).not.toContain(CREDENTIAL);
  });
});

test("tollgate upstreams reads the secrets of an identity from files or stdin, and never shows them", async () => {
  const file = join(gateway.folder, "secret-access-key.txt");
  writeFileSync(file, `${CREDENTIAL}\n`);
  const place = "--dialect openai --base-url https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1";
  const identity = "--aws-region us-east-1 --aws-access-key-id AKIAIOSFODNN7EXAMPLE --aws-secret-access-key-file";
  const made = await tollgate.text(`upstreams create cloud ${place} ${identity} ${file}`);
  expect(made).toMatch(/^Credential +AWS us-east-1, AKIAIOSFODNN7EXAMPLE$/m);
  const changed = await tollgate.json<object>(`upstreams update cloud ${identity} -`, { stdin: `${CREDENTIAL}\n` });
  expect(changed).toMatchObject({ aws: { access_key_id: "AKIAIOSFODNN7EXAMPLE" }, credentials: [] });
  expect(made + JSON.stringify(changed)).not.toContain(CREDENTIAL);
  const missing = await tollgate.run(`upstreams update cloud ${identity} ${file}.missing`);
  const problem = "--aws-secret-access-key-file takes the path of a file: the file does not exist";
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining(problem) as string]);
  const pasted = await tollgate.run(`upstreams update cloud ${identity} ${CREDENTIAL}`);
  expect([pasted.code, pasted.stderr]).toEqual([2, expect.not.stringContaining(CREDENTIAL) as string]);
  const half = await tollgate.run("upstreams update cloud --aws-region us-east-1 --aws-access-key-id AKIAIOSFODNN7EXAMPLE");
  expect(half.stderr).toStartWith("tollgate: --aws-secret-access-key-file is required");
  const none = await tollgate.run("upstreams update cloud --aws-region us-east-1");
  expect(none.stderr).toStartWith(
    "tollgate: --aws-* needs --aws-access-key-id and --aws-secret-access-key-file: the identity of the machine",
  );
  const moved = await tollgate.run(`upstreams create other ${place} ${identity.replace("us-east-1", "eu-west-1")} ${file}`);
  expect(moved.stderr).toStartWith("tollgate: --base-url is in the region us-east-1, and --aws-region is eu-west-1");
  const both = "--azure-tenant-id t --azure-client-id 11111111-2222-3333-4444-555555555555";
  const two = await tollgate.run(
    `upstreams create two --preset azure --base-url https://a.openai.azure.com/openai/v1 ${both} --azure-client-secret-file ${file} --azure-certificate-file ${file}`,
  );
  expect(two.stderr).toStartWith(
    "tollgate: --azure-certificate-file cannot be combined with --azure-client-secret-file: set only one of them",
  );
});

test("tollgate upstreams has presets, and reads several credentials, one per line", async () => {
  const two = { stdin: "first-credential-aaaa\n  second-credential-bbbb\n\n" };
  const made = await tollgate.text("upstreams create fast --preset groq --credential-stdin --max-calls 5", two);
  expect(made).toMatch(/^Upstream +fast \(preset groq, API format openai\)$/m);
  expect(made).toMatch(/^Base URL +https:\/\/api\.groq\.com\/openai\/v1$/m);
  expect(made).toMatch(/^Credential +…aaaa, …bbbb$/m);
  expect(made).toMatch(/^Concurrency +5 calls, 1,000 queued for up to 5,000 ms$/m);
  expect(await tollgate.text("upstreams credential set fast", two)).toBe("Set the credential of fast: …aaaa, …bbbb.\n");
  const third = { stdin: "third-credential-cccc" };
  expect(await tollgate.text("upstreams credential add fast", third)).toBe("Added the credential. fast has: …aaaa, …bbbb, …cccc.\n");
  expect((await tollgate.run("upstreams credential add fast", third)).stderr).toContain("is already set");
  expect((await tollgate.run("upstreams credential remove fast --last4 dddd")).stderr).toContain("no credential ends in it");
  expect(await tollgate.text("upstreams credential remove fast --last4 aaaa")).toBe("Removed. Credentials of fast: …bbbb, …cccc.\n");
  const twice = await tollgate.run("upstreams update fast --credential-stdin", { stdin: "a-credential\na-credential" });
  expect(twice.stderr).toStartWith("tollgate: the credential, by --credential-stdin, is the same as one before it.");
  const nothing = await tollgate.run("upstreams create bare --base-url https://a.example/v1");
  expect([nothing.code, nothing.stderr]).toEqual([
    1,
    "tollgate: --dialect is required without a preset: one of openai, responses, anthropic, gemini, bedrock, echo.\n",
  ]);
});

describe("tollgate models", () => {
  test("show the priorities of their routes, and how to set a missing price", async () => {
    const created = await tollgate.text("models create unpriced --route echo/a --route echo/b,priority=2");
    expect(created).toMatch(
      /^Price +none: requests are rejected until it has one\. Set one: npx tollgate models update unpriced --input-price /m,
    );
    expect(await tollgate.text("models list --search unpriced")).toMatch(/ echo\/a, echo\/b \(priority 2\)$/m);
  });

  test("create, deprecate and retire appear in the changelog and the audit log", async () => {
    await tollgate.text(`upstreams create rack --dialect openai --base-url ${address} --allow-private true`);
    const price = "--input-price 0.15 --output-price 0.60 --cached-input-price 0.075";
    const created = await tollgate.text(
      `models create team/new --route rack/a ${price} --context-window 128000 --capabilities tools,caching`,
    );
    expect(created).toMatch(/^Price +\$0\.15 input, \$0\.60 output, \$0\.075 cached input per million tokens$/m);
    expect(created).toMatch(/^Context window +128,000 tokens$/m);
    await tollgate.text("models create old --route rack/b/c --free yes --max-output-tokens 100");
    expect(await tollgate.json<object>("models show old")).toMatchObject({
      routes: [{ upstream: "rack", model: "b/c" }],
      max_output_tokens: 100,
    });
    expect(await tollgate.json<object>("models update old --max-output-tokens none --owned-by us")).toMatchObject({
      max_output_tokens: null,
      owned_by: "us",
    });
    expect(await tollgate.text("changelog --model gone")).toBe("No announcements.\n");
    const { shutdown_date: day } = await tollgate.json<{ shutdown_date: string }>(
      "models deprecate old --shutdown-date 30d --replacement team/new",
    );
    expect(Math.abs(Date.parse(day) - Date.now() - 30 * 86_400_000)).toBeLessThanOrEqual(2 * 86_400_000);
    expect(await tollgate.text("models update old --shutdown-date 2090-12-31")).toMatch(
      /^State +deprecated since .*, by operator token; shutdown date 2090-12-31; replacement team\/new$/m,
    );
    expect(await tollgate.text("models list --state deprecated")).toMatch(
      /^old +deprecated +free +us +rack\/b\/c +2090-12-31 +team\/new$/m,
    );
    expect(await tollgate.text("models retire old")).toMatch(/^State +retired since .*; replacement team\/new$/m);
    const log = (await tollgate.text("changelog")).split("\n");
    expect(log[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +old +retired +team\/new$/);
    expect(await tollgate.text("audit log --kind model --id old --action model.retire")).toMatch(
      /operator token +127\.0\.0\.1 +model\.retire +old +state: deprecated → retired/,
    );
    await tollgate.text("models create another --route rack/a --free yes");
    expect(await tollgate.text("upstreams list")).toMatch(/^rack .* another, team\/new$/m);
    const inUse = await tollgate.run("upstreams remove rack");
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining("The upstream rack serves ") as string]);
  });

  test("accept routes with priority and weight, and request handling", async () => {
    await tollgate.text("upstreams create one --dialect echo");
    const routes = "--route one/a,weight=3 --route one/b,priority=2,max-output-price=1.5 --route one/c,weight=0";
    const rest =
      "--parameter logprobs=drop --parameter seed=rename:random_seed --cache-ttl 24h --sticky no --non-streamed-ms 4000 --total-ms 5000 --fallback-model team/new,on=error+context_length";
    const made = await tollgate.text(`models create ranked --free yes ${routes} ${rest}`);
    expect(made).toMatch(
      /^Routes +one\/a, weight 3\n +one\/b, priority 2, output price cap \$1\.50, excluded: it has a price cap, and its price is unknown\n +one\/c, weight 0, drained: it receives no traffic$/m,
    );
    expect(made).toMatch(/^Parameters +logprobs: drop, seed: rename to random_seed$/m);
    expect(made).toMatch(/^Timeouts +not streamed 4,000 ms, total 5,000 ms$/m);
    expect(made).toMatch(/^Fallback models +team\/new, on error, context_length$/m);
    expect(made).toMatch(/^Response cache +TTL 1d, at 0 % of the price$/m);
    const cleared = "--parameter none --cache-ttl none --sticky none --non-streamed-ms none --total-ms none --fallback-model none";
    expect(await tollgate.json<object>(`models update ranked ${cleared}`)).toMatchObject({
      routes: [{ weight: 3 }, { priority: 2 }, { weight: 0 }],
      parameters: {},
      cache: null,
      sticky: null,
      fallback_models: [],
      timeouts: {},
    });
  });

  test("accept tiered and dated prices as JSON; an unused upstream can be removed", async () => {
    await tollgate.text("upstreams create spare --dialect echo");
    const tiers = '[{"above_input_tokens":1000,"input_per_million":2,"output_per_million":4}]';
    const tiered = await tollgate.text(`models create tiered --route spare/x --input-price 1 --output-price 2 --price-tiers '${tiers}'`);
    expect(tiered).toMatch(/^ +above 1,000 input tokens: \$2 input, \$4 output per million tokens$/m);
    const prices =
      '[{"input_per_million":1,"output_per_million":2},{"effective":"2090-01-01","input_per_million":3,"output_per_million":4}]';
    expect(await tollgate.text(`models update tiered --prices '${prices}'`)).toMatch(/^ +from 2090-01-01: \$3 input, \$4 output/m);
    await tollgate.text("upstreams create unused --dialect echo");
    expect(await tollgate.text("upstreams remove unused")).toBe("Removed unused.\n");
  });

  test("name the option in errors about missing or invalid values", async () => {
    const cases: [string, number, string][] = [
      ["models create x", 2, "give at least one route: --route"],
      ["models create x --route spare", 2, "--route must be an upstream and its model"],
      ["models create x --route nope/x", 1, 'tollgate: --route names "nope", which is not an upstream.\n'],
      ["models create x --route spare/x,weight=1001", 1, "tollgate: weight of --route must be between 0 and 1000, not 1001.\n"],
      ["models create x --route spare/x,priority=50000", 1, "tollgate: priority of --route must be between 1 and 1000, not 50000.\n"],
      [
        "models create x --route spare/x,max-input-price=0.0000001",
        1,
        "tollgate: max-input-price of --route has more than six decimals.\n",
      ],
      ["models create x --route spare/x --input-price 1", 1, "tollgate: --output-price is required.\n"],
      ["models create x --route spare/x --input-price cheap", 2, "--input-price must be an amount in dollars"],
      ["models create x --route spare/x --prices free", 2, "--prices must be JSON"],
      [
        "models create x --route spare/x --prices '[1]'",
        1,
        "tollgate: --prices: prices[0] must be an object such as { input_per_million: 2.5, output_per_million: 10 }, not 1.\n",
      ],
      ["models retire echo", 1, "tollgate: The model echo is built in, or was discovered from the environment"],
      ["upstreams create x --dialect telex", 2, "--dialect must be one of"],
      [
        "upstreams create x --dialect openai --base-url http://127.0.0.1:9/v1",
        1,
        "tollgate: --base-url must be https://; http:// is only allowed for this machine or a private network, with --allow-private yes.\n",
      ],
      ["upstreams create x --dialect openai --base-url https://127.0.0.1/v1", 1, "which needs --allow-private yes.\n"],
    ];
    for (const [line, code, words] of cases) {
      const outcome = await tollgate.run(line);
      expect([line, outcome.code, outcome.stdout, outcome.stderr]).toEqual([line, code, "", expect.stringContaining(words) as string]);
    }
  });
});

const NEEDY = `upstreams:
  - { id: one, dialect: openai, base_url: "https://one.test/v1", credential: "\${ONE_KEY}" }
  - { id: two, dialect: openai, base_url: "https://two.test/v1", credential: "\${TWO_KEY}" }
  - { id: bare, preset: groq }
  - { id: local, preset: ollama }
models:
  - { id: gratis, routes: [{ upstream: one, model: x }], free: true }
  - { id: costly, routes: [{ upstream: one, model: x }] }
  - { id: dear, routes: [{ upstream: two, model: x }] }
  - { id: capped, routes: [{ upstream: two, model: x, max_price: { input_per_million: 1 } }], free: true }
price_lists: [{ id: partners, name: Partners, models: { gartis: { free: true } } }]
accounts: [{ id: acme, name: Acme, price_list: nope }]
`;

describe("tollgate config", () => {
  test("check reports the position of an error without a gateway, reload rejects it, and lists changes", async () => {
    const yaml = "upstreams: [{ id: e, dialect: echo }]\nmodels: [{ id: m, routes: [{ upstream: e, model: x }], free: true }]\n";
    const declared = await startGateway({ yaml });
    const file = join(declared.folder, "tollgate.yaml");
    const beside = commandRunner(declared);
    expect(await beside.text("config check tollgate.yaml")).toMatch(/tollgate\.yaml is valid: 1 upstream, 1 model and 0 accounts\.\n$/);
    expect(await beside.text("config reload")).toBe(`${file} declares 1 upstream, 1 model and 0 accounts.\nNo changes.\n`);
    writeFileSync(file, yaml.replace("models: [", "models: [{ id: n, routes: [{ upstream: e, model: y }], free: true }, "));
    // On a busy machine the gateway may have reloaded the file by itself before the command requests a reload.
    expect(await beside.text("config reload")).toMatch(
      /declares 1 upstream, 2 models and 0 accounts\.\n( {2}added model n|No changes\.)\n$/,
    );
    expect(await beside.text("audit log --action config.reload")).toMatch(/ added model n\n$/);
    writeFileSync(file, readFileSync(file, "utf8").replace("upstream: e", "upstream: f"));
    const place = `${file}:2:`;
    for (const line of ["config check", "config check tollgate.yaml", "config reload"]) {
      const outcome = await beside.run(line);
      expect([line, outcome.code, outcome.stdout, outcome.stderr]).toEqual([line, 1, "", expect.stringContaining(place) as string]);
    }
    expect((await beside.run("config check nowhere.yaml")).code).toBe(1);
    await declared.stop();
  });

  test("check lists missing variables, and models and routes that cannot be used", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-check-"));
    const file = join(folder, "tollgate.yaml");
    writeFileSync(file, NEEDY);
    const missing = await tollgate.run(`config check ${file}`);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `tollgate: ${file}:2:78: these environment variables are not set: ONE_KEY, TWO_KEY\n`,
    ]);
    const wrong = join(folder, "wrong.yaml");
    writeFileSync(wrong, 'upstreams: [{ id: u, dialect: nope, base_url: "http://127.0.0.1:1/v1" }]\nmodels: [{ id: m, typo: 1 }]\n');
    const places = (await tollgate.run(`config check ${wrong}`)).stderr.split("\n").map((line) => line.replace(/^.*(:\d+:\d+): .*/, "$1"));
    expect(places).toEqual([":1:22", ":2:19", ":2:10", ""]);
    const env = { ONE_KEY: "sk-one", TWO_KEY: "sk-two" };
    expect((await tollgate.text(`config check ${file}`, { env })).split("\n")).toEqual([
      `${file} is valid: 4 upstreams, 4 models, 1 price list and 1 account.`,
      "Rejected until they have a price or free: true: costly, dear.",
      "Never used because max_price is set and the price is unknown: capped at two.",
      "Declared without the credential that the provider requires: bare.",
      "Models of price lists that are not in the file: gartis in partners.",
      "Price lists of accounts that are not in the file, so they must exist on the platform: nope.",
      "",
    ]);
    expect(await tollgate.json<object>(`config check ${file}`, { env })).toMatchObject({
      accounts: 1,
      unpriced_models: ["costly", "dear"],
    });
    rmSync(folder, { recursive: true });
  });
});
