import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { typed, type Typed } from "./typed.ts";

const CREDENTIAL = "sk-canary-of-the-command-line";

/** An upstream that lists two models to whoever has the credential. */
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
let tollgate: Typed;

beforeAll(async () => {
  gateway = await startGateway();
  tollgate = typed(gateway);
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

describe("tollgate upstreams", () => {
  test("takes a credential by the standard input, tests it, and never shows it", async () => {
    const made = await tollgate.text(`upstreams create box --dialect openai --base-url ${address} --allow-private yes --total-ms 5000`);
    expect(made).toMatch(/^Credential +none$/m);
    expect(made).toMatch(/^Waits +.*, 5,000 ms in all$/m);
    const refused = await tollgate.run("upstreams test box");
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^It answered with status 401 in \d+ ms\.\n$/) as string]);
    expect(refused.stderr).toStartWith("tollgate: the upstream cannot be used: ");
    expect(await tollgate.text("upstreams credential set box", { stdin: `${CREDENTIAL}\n` })).toBe(
      "The credential of box is …line from now on.\n",
    );
    expect(await tollgate.text("upstreams test box")).toMatch(/^It works: it lists 2 models, in \d+ ms\.\n$/);
    const moved = await tollgate.run("upstreams update box --base-url http://127.0.0.1:9/v1");
    expect([moved.code, moved.stderr]).toEqual([
      1,
      expect.stringContaining("the credential, by --credential-stdin, is required with another --base-url: ") as string,
    ]);
    expect(await tollgate.text("upstreams update --help")).toContain("What is not given stays as it is.");
    const listed = await tollgate.text("upstreams list");
    expect(listed).toMatch(new RegExp(`^box +openai +${address} +…line +operator$`, "m"));
    expect(await tollgate.text("upstreams credential remove box")).toBe("box has no credential from now on.\n");
    const again = await tollgate.json<object>("upstreams update box --credential-stdin", { stdin: CREDENTIAL });
    expect(again).toMatchObject({ credentials: [{ last4: "line" }] });
    const everything = [made, listed, JSON.stringify(again), await tollgate.text("audit log --json"), gateway.output()].join("");
    expect(everything).not.toContain(CREDENTIAL);
  });
});

test("tollgate upstreams knows presets, and takes several credentials, each on a line", async () => {
  const two = { stdin: "first-credential-aaaa\n  second-credential-bbbb\n\n" };
  const made = await tollgate.text("upstreams create fast --preset groq --credential-stdin --max-calls 5", two);
  expect(made).toMatch(/^Upstream +fast \(preset groq, dialect openai\)$/m);
  expect(made).toMatch(/^Address +https:\/\/api\.groq\.com\/openai\/v1$/m);
  expect(made).toMatch(/^Credential +…aaaa, …bbbb$/m);
  expect(made).toMatch(/^At once +5 calls; 1,000 more wait for up to 5,000 ms$/m);
  expect(await tollgate.text("upstreams credential set fast", two)).toBe("The credential of fast is …aaaa, …bbbb from now on.\n");
  const twice = await tollgate.run("upstreams update fast --credential-stdin", { stdin: "a-credential\na-credential" });
  expect(twice.stderr).toStartWith("tollgate: the credential, by --credential-stdin, is the same as one before it.");
  const nothing = await tollgate.run("upstreams create bare --base-url https://a.example/v1");
  expect([nothing.code, nothing.stderr]).toEqual([1, "tollgate: --dialect is required without a preset.\n"]);
});

describe("tollgate models", () => {
  test("create, deprecate and retire one; the changelog and the audit log tell", async () => {
    await tollgate.text(`upstreams create rack --dialect openai --base-url ${address} --allow-private true`);
    const price = "--input-price 0.15 --output-price 0.60 --cached-input-price 0.075";
    const created = await tollgate.text(
      `models create team/new --route rack/a ${price} --context-window 128000 --capabilities tools,caching`,
    );
    expect(created).toMatch(/^Price +\$0\.15 input, \$0\.60 output, \$0\.075 cached input, for a million tokens$/m);
    expect(created).toMatch(/^Context +128,000 tokens$/m);
    await tollgate.text("models create old --route rack/b/c --free yes --max-output-tokens 100");
    expect(await tollgate.json<object>("models show old")).toMatchObject({
      routes: [{ upstream: "rack", model: "b/c" }],
      max_output_tokens: 100,
    });
    expect(await tollgate.json<object>("models update old --max-output-tokens none --owned-by us")).toMatchObject({
      max_output_tokens: null,
      owned_by: "us",
    });
    await tollgate.text("models deprecate old --shutdown-date 2090-06-30 --replacement team/new");
    expect(await tollgate.text("models update old --shutdown-date 2090-12-31")).toMatch(
      /^State +deprecated since .*, by operator token; to be retired on 2090-12-31; use team\/new$/m,
    );
    expect(await tollgate.text("models list --state deprecated")).toMatch(
      /^old +deprecated +free +us +rack\/b\/c +2090-12-31 +team\/new$/m,
    );
    expect(await tollgate.text("models retire old")).toMatch(/^State +retired since .*; use team\/new$/m);
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

  test("take routes with their ranks, and what becomes of calls", async () => {
    await tollgate.text("upstreams create one --dialect echo");
    const routes = "--route one/a,weight=3 --route one/b,priority=2,max-output-price=1.5 --route one/c,weight=0";
    const rest = "--parameter logprobs=drop --parameter seed=rename:random_seed --cache-ttl 24h --sticky no --total-ms 5000";
    const made = await tollgate.text(`models create ranked --free yes ${routes} ${rest}`);
    expect(made).toMatch(
      /^Served by +one\/a, weight 3\n +one\/b, priority 2, \$1\.50 output at most, never used: its price is not known\n +one\/c, weight 0, drained: it gets no calls$/m,
    );
    expect(made).toMatch(/^Parameters +logprobs: drop, seed: as random_seed$/m);
    expect(made).toMatch(/^Waits +5,000 ms in all$/m);
    expect(made).toMatch(/^Cache +answers are kept for 1d, and cost 0 % then$/m);
    const cleared = "--parameter none --cache-ttl none --sticky none --total-ms none";
    expect(await tollgate.json<object>(`models update ranked ${cleared}`)).toMatchObject({
      routes: [{ weight: 3 }, { priority: 2 }, { weight: 0 }],
      parameters: {},
      cache: null,
      sticky: null,
      timeouts: {},
    });
  });

  test("takes prices with tiers and days as JSON, and removes what serves nothing", async () => {
    await tollgate.text("upstreams create spare --dialect echo");
    const tiers = '[{"above_input_tokens":1000,"input_per_million":2,"output_per_million":4}]';
    const tiered = await tollgate.text(`models create tiered --route spare/x --input-price 1 --output-price 2 --price-tiers '${tiers}'`);
    expect(tiered).toMatch(/^ +above 1,000 tokens of input: \$2 input, \$4 output, for a million tokens$/m);
    const prices =
      '[{"input_per_million":1,"output_per_million":2},{"effective":"2090-01-01","input_per_million":3,"output_per_million":4}]';
    expect(await tollgate.text(`models update tiered --prices '${prices}'`)).toMatch(/^ +from 2090-01-01 on: \$3 input, \$4 output/m);
    await tollgate.text("upstreams create unused --dialect echo");
    expect(await tollgate.text("upstreams remove unused")).toBe("Removed unused.\n");
  });

  test("refuses what is missing or wrong, in the words of the command line", async () => {
    const cases: [string, number, string][] = [
      ["models create x", 2, "say where it is served: --route"],
      ["models create x --route spare", 2, "--route must be an upstream and its model"],
      ["models create x --route nope/x", 1, 'tollgate: --route names "nope", and there is no such upstream.\n'],
      ["models create x --route spare/x,weight=1001", 1, "tollgate: weight of --route must be between 0 and 1000, not 1001.\n"],
      ["models create x --route spare/x,priority=50000", 1, "tollgate: priority of --route must be between 1 and 1000, not 50000.\n"],
      [
        "models create x --route spare/x,max-input-price=0.0000001",
        1,
        "tollgate: max-input-price of --route has more than six decimals.\n",
      ],
      ["models create x --route spare/x --input-price 1", 1, "tollgate: --output-price is required.\n"],
      ["models create x --route spare/x --input-price cheap", 2, "--input-price must be dollars"],
      ["models create x --route spare/x --prices free", 2, "--prices must be JSON"],
      [
        "models create x --route spare/x --prices '[1]'",
        1,
        "tollgate: --prices: prices[0] must be an object such as { input_per_million: 2.5, output_per_million: 10 }, not 1.\n",
      ],
      ["models retire echo", 1, "tollgate: The model echo was found in the environment"],
      ["upstreams create x --dialect telex", 2, "--dialect must be one of"],
      [
        "upstreams create x --dialect openai --base-url http://127.0.0.1:9/v1",
        1,
        "tollgate: --base-url must be https://, or http:// to a private network with --allow-private yes.\n",
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
accounts: [{ id: acme, name: Acme }]
`;

describe("tollgate config", () => {
  test("check finds the place of a mistake without a gateway, reload refuses it, and tells what has changed", async () => {
    const yaml = "upstreams: [{ id: e, dialect: echo }]\nmodels: [{ id: m, routes: [{ upstream: e, model: x }], free: true }]\n";
    const declared = await startGateway({ yaml });
    const file = join(declared.folder, "tollgate.yaml");
    const beside = typed(declared);
    expect(await beside.text("config check tollgate.yaml")).toMatch(/tollgate\.yaml is fine: 1 upstream, 1 model and 0 accounts\.\n$/);
    expect(await beside.text("config reload")).toBe(`${file} declares 1 upstream, 1 model and 0 accounts.\nNothing has changed.\n`);
    writeFileSync(file, yaml.replace("models: [", "models: [{ id: n, routes: [{ upstream: e, model: y }], free: true }, "));
    // On a busy machine it may have been read by itself before the command asks for it.
    expect(await beside.text("config reload")).toMatch(
      /declares 1 upstream, 2 models and 0 accounts\.\n( {2}added model n|Nothing has changed\.)\n$/,
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

  test("check names every variable that is missing, and the models and routes that no call can use", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-check-"));
    const file = join(folder, "tollgate.yaml");
    writeFileSync(file, NEEDY);
    const missing = await tollgate.run(`config check ${file}`);
    expect([missing.code, missing.stderr]).toEqual([1, `tollgate: ${file}:2:78: the environment has no ONE_KEY, no TWO_KEY\n`]);
    const env = { ONE_KEY: "sk-one", TWO_KEY: "sk-two" };
    expect((await tollgate.text(`config check ${file}`, { env })).split("\n")).toEqual([
      `${file} is fine: 4 upstreams, 4 models and 1 account.`,
      "Refused until they have a price, or free: true: costly, dear.",
      "Never used, because max_price is set and the price is not known: capped at two.",
      "Declared without the credential that its provider asks for: bare.",
      "",
    ]);
    expect(await tollgate.json<object>(`config check ${file}`, { env })).toMatchObject({
      accounts: 1,
      unpriced_models: ["costly", "dear"],
    });
    rmSync(folder, { recursive: true });
  });
});
