import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LoggedRequestInFull, Model, Receipt } from "../../platform-client/types.ts";
import type { AuditReport } from "../../src/platform/audit/auditor.ts";
import { chunksIn, replyOf, type Reply } from "../money/post-chat.ts";
import { Scrape } from "../metrics/scrape.ts";
import { answers, FlakyUpstream, hangs, rejectsWith, type Behaviour } from "../routes/flaky-upstream.ts";
import { RoutedGateway, routesConfig, type ModelTerms } from "../routes/routed-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { chunk, completion, rawEvents, USAGE } from "../support/upstreams/mock-upstream.ts";
import { PROVIDER_ERRORS } from "./provider-errors.ts";

/** Three times the price of the other models. */
const EXPENSIVE = { input_per_million: 3, output_per_million: 6 };
const ALL = ["error", "context_length", "content_filter"];

const main = new FlakyUpstream("main");
const spare = new FlakyUpstream("spare");
const last = new FlakyUpstream("last");
const foreign = new Map(PROVIDER_ERRORS.map(({ dialect }) => [dialect, new FlakyUpstream(dialect)]));
const all = [main, spare, last, ...foreign.values()];
let routed: RoutedGateway;
let models = 0;

/** Declares a new model for each test, so that no other test has ejected its routes. The upstream model has the same name. */
async function declare(terms: Partial<ModelTerms> = {}, upstream = "main"): Promise<string> {
  const id = `m-${++models}`;
  const price = { input_per_million: 1, output_per_million: 2 };
  await routed.gateway.platform("POST", "/api/models", { id, routes: [{ upstream, model: id }], price, ...terms });
  return id;
}

const spareModel = (terms: Partial<ModelTerms> = {}): Promise<string> => declare({ price: EXPENSIVE, ...terms }, "spare");

beforeAll(async () => {
  const upstreams = all.map(({ id, port }) => ({ id, port, dialect: foreign.has(id) ? id : "openai" }));
  routed = await RoutedGateway.start(routesConfig(upstreams, []));
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(all.map((upstream) => upstream.stop()));
});

async function receiptOf(reply: Reply): Promise<Receipt> {
  return (await routed.receipt(reply)) as unknown as Receipt;
}

function modelIn({ text, headers }: Reply): unknown {
  if (headers.get("content-type")?.startsWith("text/event-stream")) return new Set(chunksIn(text).map(({ model }) => model));
  return new Set([(JSON.parse(text) as { model: string }).model]);
}

/** Expects that the response, the charge and the log name this model. */
async function expectAnsweredBy(reply: Reply, model: string): Promise<void> {
  expect([reply.status, modelIn(reply)]).toEqual([200, new Set([model])]);
  const receipt = await receiptOf(reply);
  expect([receipt.model, receipt.state]).toEqual([model, "settled"]);
  const requested = receipt.requested_model;
  expect(reply.headers.get("x-tollgate-model")).toBe(requested === model ? null : model);
}

describe("a request that fails before the first byte", () => {
  for (const { provider, dialect, condition, does } of PROVIDER_ERRORS) {
    test.each([false, true])(`by ${condition} of ${provider} is answered by a fallback for it alone (stream: %p)`, async (stream) => {
      const upstream = foreign.get(dialect)!;
      upstream.does = does;
      const others = ALL.filter((each) => each !== condition);
      const [wrong, right] = [await spareModel(), await spareModel()];
      const model = await declare(
        {
          fallback_models: [
            { model: wrong, on: others },
            { model: right, on: [condition] },
          ],
        },
        dialect,
      );
      await expectAnsweredBy(await routed.ask(model, { stream }), right);
      // Without a fallback for this condition, the client receives the error.
      const bare = await declare({ fallback_models: [{ model: wrong, on: others }] }, dialect);
      const { status, headers } = await routed.ask(bare, { stream });
      expect([status >= 400, headers.get("x-tollgate-model")]).toEqual([true, null]);
    });
  }

  test("is answered by the model itself while it can", async () => {
    main.does = answers;
    const model = await declare({ fallback_models: [await spareModel()] });
    await expectAnsweredBy(await routed.ask(model), model);
  });

  test("is not served by another model where the request is at fault", async () => {
    main.does = rejectsWith(400);
    const before = spare.calls;
    const reply = await routed.ask(await declare({ fallback_models: [{ model: await spareModel(), on: ALL }] }));
    expect([reply.status, spare.calls - before]).toEqual([400, 0]);
  });

  test("has the parameters, the timeouts and the output limit of the model that answers", async () => {
    main.does = rejectsWith(500);
    spare.does = answers;
    const other = await spareModel({ parameters: { seed: "drop" }, max_output_tokens: 77 } as Partial<ModelTerms>);
    const reply = await routed.ask(await declare({ fallback_models: [other] }), { body: { seed: 7 } });
    expect(spare.requests.at(-1)!.body).toMatchObject({ model: other, max_tokens: 77 });
    expect(spare.requests.at(-1)!.body).not.toHaveProperty("seed");
    expect([reply.headers.get("x-tollgate-max-tokens"), reply.headers.get("x-tollgate-dropped")]).toEqual(["77", "seed"]);
    expect(reply.headers.get("x-tollgate-upstream")).toBe("spare");
  });

  test("goes down the list, and ends with the error of the requested model where all fail", async () => {
    main.does = rejectsWith(503, { "retry-after": "7" });
    spare.does = rejectsWith(500);
    last.does = answers;
    const third = await declare({}, "last");
    await expectAnsweredBy(await routed.ask(await declare({ fallback_models: [await spareModel(), third] })), third);
    last.does = rejectsWith(400);
    const reply = await routed.ask(await declare({ fallback_models: [await spareModel(), third] }));
    expect([reply.status, reply.code, reply.headers.get("x-tollgate-model")]).toEqual([503, "overloaded", null]);
    expect(await receiptOf(reply)).toMatchObject({ state: "released", charged: "0.00" });
  });

  test("goes on where a fallback fails for another reason that the next one serves", async () => {
    main.does = rejectsWith(500);
    spare.does = PROVIDER_ERRORS.find(({ provider, condition }) => provider === "OpenAI" && condition === "context_length")!.does;
    last.does = answers;
    const long = await declare({}, "last");
    const model = await declare({ fallback_models: [await spareModel(), { model: long, on: ["context_length"] }] });
    await expectAnsweredBy(await routed.ask(model), long);
  });

  test("does not use the fallbacks of a fallback", async () => {
    main.does = rejectsWith(500);
    spare.does = rejectsWith(500);
    last.does = answers;
    const second = await spareModel({ fallback_models: [await declare({}, "last")] });
    expect((await routed.ask(await declare({ fallback_models: [second] }))).status).toBe(502);
  });

  test("is tried once at each of two models that are each other's fallback", async () => {
    main.does = rejectsWith(500);
    spare.does = rejectsWith(500);
    const [one, two] = [await declare(), await spareModel()];
    await change(one, [two]);
    expect((await change(two, [one])).fallback_models).toEqual([{ model: one, on: ["error"] }]);
    expect((await routed.ask(one)).status).toBe(502);
    main.does = answers;
    await expectAnsweredBy(await routed.ask(two), one);
  });

  test("is answered without a call of the model while all its routes are ejected, and by it again afterwards", async () => {
    main.does = rejectsWith(500);
    spare.does = answers;
    const model = await declare({ fallback_models: [await spareModel()] });
    const skipped = await eventually(
      async () => {
        const before = main.calls;
        const reply = await routed.ask(model);
        return reply.status === 200 && main.calls === before ? reply : undefined;
      },
      (reply) => reply !== undefined,
    );
    expect((await receiptOf(skipped!)).attempts).toBe(1);
    main.does = answers;
    await eventually(
      () => routed.ask(model),
      ({ headers }) => headers.get("x-tollgate-model") === null,
      { everyMs: 100 },
    );
  });

  test("keeps to the deadline of the caller over all attempts, and pays for the prompt of the model that was called", async () => {
    main.does = rejectsWith(500);
    spare.does = hangs;
    const other = await spareModel();
    const model = await declare({ fallback_models: [other] });
    // On a machine that stalls, the timeout may expire before the fallback is called.
    const reply = await eventually(
      async () => {
        const before = spare.calls;
        const timedOut = await routed.ask(model, { headers: { "x-timeout-ms": "1500" } });
        return spare.calls > before ? timedOut : undefined;
      },
      (timedOut) => timedOut !== undefined,
    );
    expect([reply!.status, reply!.code]).toEqual([504, "upstream_timeout"]);
    const receipt = await eventually(
      () => receiptOf(reply!),
      ({ state }) => state !== "open",
    );
    expect(receipt).toMatchObject({ model: other, state: "settled", price: { input_per_million: 3 } });
  });
});

/** An empty response, which a content filter ended. */
const filtered: Behaviour = () => {
  const choices = [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "content_filter" }];
  return Response.json(completion({}, { choices }));
};

describe("a response without content that a content filter ended", () => {
  test("is a refusal while a fallback can answer, and the answer otherwise", async () => {
    main.does = filtered;
    spare.does = answers;
    const other = await spareModel();
    const model = await declare({ fallback_models: [{ model: other, on: ["content_filter"] }] });
    const fallen = await routed.ask(model);
    await expectAnsweredBy(fallen, other);
    // The provider also charges for the empty response: the operator sees this charge on the receipt, but the client pays only for the
    // other response.
    const { prompt_tokens: prompt, completion_tokens: output } = USAGE;
    const detail = `The upstream's content filter left nothing of the answer. The provider counted ${prompt} input and ${output} output tokens.`;
    expect(await receiptOf(fallen)).toMatchObject({
      attempts: 2,
      usage: { prompt_tokens: prompt, completion_tokens: output },
      price: { input_per_million: EXPENSIVE.input_per_million },
      failed_attempts: [{ upstream: "main", model, fault: "refused", detail }],
    });
    const { all_attempts: attempts } = await routed.gateway.platform<LoggedRequestInFull>("GET", `/api/requests/${fallen.requestId}`);
    expect(attempts).toMatchObject([{ outcome: "refused", detail }, { outcome: "answered" }]);
    const alone = await declare({ fallback_models: [other] });
    const reply = await routed.ask(alone);
    expect([reply.status, reply.text.includes('"content_filter"')]).toEqual([200, true]);
    await expectAnsweredBy(reply, alone);
  });
});

describe("a response that breaks off after the first byte", () => {
  test("is not continued by a fallback", async () => {
    main.does = () => rawEvents(`data: ${chunk({ content: "Hello" })}\n\n`);
    const before = spare.calls;
    const model = await declare({ fallback_models: [{ model: await spareModel(), on: ALL }] });
    const reply = await routed.ask(model, { stream: true });
    expect(reply.text).toContain("upstream_error");
    expect([reply.text.includes("Hello"), spare.calls - before]).toEqual([true, 0]);
    expect((await receiptOf(reply)).model).toBe(model);
  });
});

describe("the money of a fallback", () => {
  test("is held as the most expensive model, and charged as the one that answered", async () => {
    main.does = answers;
    spare.does = answers;
    const [cheap, other] = [
      await declare({ max_output_tokens: 100 } as Partial<ModelTerms>),
      await spareModel({ max_output_tokens: 100 } as Partial<ModelTerms>),
    ];
    const alone = await Promise.all([cheap, other].map(async (id) => receiptOf(await routed.ask(id))));
    const model = await declare({
      max_output_tokens: 100,
      fallback_models: [other, { model: cheap, on: ["context_length"] }],
    } as Partial<ModelTerms>);
    const served = await receiptOf(await routed.ask(model));
    expect(served).toMatchObject({ held: alone[1]!.held, charged: alone[0]!.charged, requested_model: model });
    main.does = rejectsWith(500);
    const reply = await routed.ask(model);
    expect(await receiptOf(reply)).toMatchObject({ held: alone[1]!.held, charged: alone[1]!.charged, model: other });
    expect(reply.headers.get("x-tollgate-cost")).toBe(alone[1]!.charged);
    const { data } = await routed.gateway.platform<{ data: { model: string; requests: number }[] }>("GET", "/api/usage?by=model");
    expect(data.find((each) => each.model === other)?.requests).toBe(2);
  });

  test("leaves out a fallback above x-max-cost, and says so in a dry run", async () => {
    main.does = rejectsWith(500);
    const before = spare.calls;
    const model = await declare({ fallback_models: [await spareModel({ price: { input_per_million: 1e6, output_per_million: 1e6 } })] });
    const headers = { "x-max-cost": "0.01" };
    expect((await routed.ask(model, { headers })).status).toBe(502);
    expect(spare.calls).toBe(before);
    const report = JSON.parse((await routed.ask(model, { headers: { ...headers, "x-dry-run": "1" } })).text) as Record<string, unknown>;
    expect(report).toMatchObject({ status: 200, fallbacks: [{ on: ["error"], hold: null, excluded: "not_affordable" }] });
  });

  test("is in the dry run: the candidates with their bounds, and the highest as the hold", async () => {
    const other = await spareModel({ price: { input_per_million: 30, output_per_million: 60 } });
    const model = await declare({ fallback_models: [{ model: other, on: ALL }] });
    const report = JSON.parse((await routed.ask(model, { headers: { "x-dry-run": "1" } })).text) as {
      hold: string;
      fallbacks: Record<string, unknown>[];
    };
    expect(report.fallbacks).toMatchObject([{ model: other, on: ALL, excluded: null, hold: report.hold }]);
  });
});

describe("limits of the caller", () => {
  let accounts = 0;

  /** A key of a new account. */
  async function keyWith({ credit = "10", ...more }: { credit?: string; limits?: object; caps?: object }): Promise<Record<string, string>> {
    const account = `limited-${++accounts}`;
    await routed.gateway.platform("POST", "/api/accounts", { id: account, name: account });
    await routed.gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: credit, reference: account, reason: "for tests" });
    const made = await routed.gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, models: ["*"], account, ...more });
    return { authorization: `Bearer ${made.key}` };
  }

  /** A response costs $0.009, and its hold is more than $0.01. */
  const COSTLY = { input_per_million: 1000, output_per_million: 2000 };
  const body = { max_tokens: 10 };

  test("rate limits count a request once, and one that they reject has no fallback", async () => {
    [main.does, spare.does] = [rejectsWith(500), answers];
    const headers = await keyWith({ limits: { requests_per_minute: 2 } });
    const model = await declare({ fallback_models: [await spareModel()] });
    const before = spare.calls;
    const replies = [];
    for (let at = 0; at < 3; at++) replies.push(await routed.ask(model, { headers }));
    expect(replies.map(({ status, code }) => [status, code])).toEqual([
      [200, undefined],
      [200, undefined],
      [429, "rate_limit_exceeded"],
    ]);
    expect(spare.calls - before).toBe(2);
  });

  test.each([
    ["a spend cap", { caps: { total: "0.01" } }, { caps: { total: "1" } }],
    ["the credit", { credit: "0.01" }, { credit: "1" }],
  ])("%s excludes a fallback that it does not pay for, and pays for one that it does", async (_, little, enough) => {
    [main.does, spare.does] = [rejectsWith(500), answers];
    const other = await spareModel({ price: COSTLY });
    const model = await declare({ fallback_models: [other] });
    const [poor, rich] = [await keyWith(little), await keyWith(enough)];
    const explain = async (headers: Record<string, string>): Promise<DryRunReport> =>
      JSON.parse((await routed.ask(model, { body, headers: { ...headers, "x-dry-run": "1" } })).text) as DryRunReport;
    expect(await explain(poor)).toMatchObject({ status: 200, fallbacks: [{ model: other, excluded: "not_affordable" }] });
    const before = spare.calls;
    // The error of the requested model, which the client could pay for.
    expect(await routed.ask(model, { body, headers: poor })).toMatchObject({ status: 502, code: "upstream_error" });
    expect(spare.calls).toBe(before);
    await expectAnsweredBy(await routed.ask(model, { body, headers: rich }), other);
    const { headroom } = await explain(rich);
    expect(headroom.budgets[0]?.left ?? headroom.credit).toBe("0.991");
  });

  test("rate limits of a route belong to the operator: a model that has reached them falls back", async () => {
    [main.does, spare.does] = [answers, answers];
    const other = await spareModel();
    const id = `m-${models + 1}`;
    const routes = [{ upstream: "main", model: id, limits: { requests_per_minute: 1 } }];
    const model = await declare({ routes, fallback_models: [other] });
    await expectAnsweredBy(await routed.ask(model), model);
    await expectAnsweredBy(await routed.ask(model), other);
  });
});

interface DryRunReport {
  readonly headroom: { readonly credit: string | null; readonly budgets: readonly { readonly left: string }[] };
}

describe("a key", () => {
  test("that may call a model is served by fallbacks that its list does not name", async () => {
    main.does = rejectsWith(500);
    spare.does = answers;
    const other = await spareModel();
    const model = await declare({ fallback_models: [other] });
    const { key } = await routed.gateway.makeKey([model]);
    const post = async (named: string): Promise<Reply> =>
      replyOf(await routed.open(named, { headers: { authorization: `Bearer ${key}` } }));
    await expectAnsweredBy(await post(model), other);
    expect((await post(other)).code).toBe("model_not_allowed");
  });
});

test("a replay under an idempotency key is the same, with the model that answered", async () => {
  main.does = rejectsWith(500);
  spare.does = answers;
  const other = await spareModel();
  const model = await declare({ fallback_models: [other] });
  for (const stream of [false, true]) {
    const asking = { stream, headers: { "idempotency-key": `once-${stream}` } };
    const first = await routed.ask(model, asking);
    const again = await routed.ask(model, asking);
    expect([again.text, again.headers.get("x-tollgate-model")]).toEqual([first.text, other]);
    expect(again.headers.get("x-tollgate-replayed")).toBe(first.requestId);
  }
});

test("the response of a fallback is not in the response cache of the model", async () => {
  main.does = rejectsWith(500);
  spare.does = answers;
  const model = await declare({ cache: { ttl_seconds: 60 }, fallback_models: [await spareModel()] });
  for (const stream of [false, true]) {
    const first = await routed.ask(model, { stream });
    const second = await routed.ask(model, { stream });
    expect([first, second].map(({ status, headers }) => [status, headers.get("x-tollgate-cache")])).toEqual([
      [200, "miss"],
      [200, "miss"],
    ]);
  }
});

test("request log, log and metrics have the requested model, the one that answered and the reason", async () => {
  main.does = rejectsWith(500);
  spare.does = answers;
  const other = await spareModel();
  const model = await declare({ fallback_models: [other] });
  const { requestId } = await routed.ask(model, { stream: true });
  const logged = await eventually(
    () => routed.gateway.platform<LoggedRequestInFull>("GET", `/api/requests/${requestId}`).catch(() => undefined),
    (found) => found !== undefined,
  );
  expect(logged).toMatchObject({ model, answered_by: other });
  expect(logged!.all_attempts!.map(({ upstream, fallback }) => [upstream, fallback]).at(-1)).toEqual(["spare", other]);
  const line = await eventually(
    async () => routed.gateway.logLines().find((each) => each["request_id"] === requestId),
    (found) => found !== undefined,
  );
  expect(line).toMatchObject({ model, answered_by: other, fallback: "error" });
  const { families } = await Scrape.of(routed.gateway);
  const samples = families.flatMap((family) => family.samples);
  const valueOf = (name: string, labels: Record<string, string>): number =>
    samples
      .filter((each) => each.name === name && Object.entries(labels).every(([label, value]) => each.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  expect(valueOf("tollgate_fallbacks_total", { model, reason: "error" })).toBe(1);
  expect(valueOf("tollgate_requests_total", { model })).toBe(1);
  expect([valueOf("tollgate_tokens_total", { model }), valueOf("tollgate_tokens_total", { model: other })]).toEqual([0, 7]);
});

function change(model: string, fallbacks: unknown): Promise<Model> {
  return routed.gateway.platform("PATCH", `/api/models/${model}`, { fallback_models: fallbacks });
}

describe("the platform API", () => {
  test("returns the conditions, and null clears", async () => {
    const [other, model] = [await spareModel(), await declare()];
    expect((await change(model, [other])).fallback_models).toEqual([{ model: other, on: ["error"] }]);
    expect((await change(model, [{ model: other, on: ["content_filter", "context_length"] }])).fallback_models).toEqual([
      { model: other, on: ["context_length", "content_filter"] },
    ]);
    expect((await change(model, null)).fallback_models).toEqual([]);
  });

  test("rejects itself, unknown models and repetitions, with the place", async () => {
    const [one, two, three] = [await declare(), await declare(), await declare()];
    const problems = await Promise.allSettled([
      change(one, [three, one]),
      change(one, ["unknown"]),
      change(one, [two, { model: two, on: ["context_length"] }]),
      change(one, [{ model: two, on: [] }]),
      change(one, [{ model: two, on: ["rain"] }]),
    ]);
    const messages = problems.map(
      (each) => (JSON.parse(((each as PromiseRejectedResult).reason as Error).message) as { detail: string }).detail,
    );
    expect(messages.slice(0, 3)).toEqual([
      "fallback_models[1] names the model itself.",
      'fallback_models[0] names "unknown", and there is no such model.',
      `fallback_models[1] repeats "${two}": list all its conditions in one entry.`,
    ]);
    expect(messages.slice(3).every((message) => message.startsWith("fallback_models[0]"))).toBe(true);
  });

  test("does not retire or remove a fallback while a model has it", async () => {
    const [other, replacement] = [await spareModel(), await declare()];
    const model = await declare({ fallback_models: [other] });
    await routed.gateway.platform("POST", `/api/models/${other}/deprecate`, { shutdown_date: "2999-01-01", replacement });
    const retire = (): Promise<unknown> => routed.gateway.platform("POST", `/api/models/${other}/retire`);
    const refused = await Promise.allSettled([retire(), routed.gateway.platform("DELETE", `/api/models/${other}`)]);
    expect(refused.map((each) => each.status === "rejected" && String(each.reason).includes(model))).toEqual([true, true]);
    await change(model, null);
    expect(await retire()).toMatchObject({ state: "retired" });
    const again = await Promise.allSettled([change(model, [other])]);
    expect(String((again[0] as PromiseRejectedResult).reason)).toContain(`names ${other}, which is retired`);
  });
});

test("the auditor agrees with every entry", async () => {
  expect(await routed.gateway.platform<AuditReport>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
});
