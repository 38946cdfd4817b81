import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { askPlatform } from "../support/gateway/call-platform.ts";
import { runs } from "../support/long.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/**
 * Random histories of a few models, applied to a gateway and to a small reference model. After each step the response, the clients' model
 * list and the state for operators must equal the reference's; at the end, also the result of every call.
 */

const COUNT = 4;
const DAY = "2999-01-31";
const OVER = "2020-01-31";

interface ReferenceModel {
  state: "available" | "deprecated" | "retired";
  isPriced: boolean;
  replacement: number | null;
}

type Step =
  | { readonly name: "create"; readonly model: number; readonly isPriced: boolean }
  | { readonly name: "price"; readonly model: number; readonly isPriced: boolean }
  | { readonly name: "deprecate"; readonly model: number; readonly to: number; readonly day: string }
  | { readonly name: "point"; readonly model: number; readonly to: number }
  | { readonly name: "retire"; readonly model: number };

/** The expected state: undefined for a model that was not created. */
class Reference {
  readonly models: (ReferenceModel | undefined)[] = Array.from({ length: COUNT });

  /** Applies a step, or returns the code of its rejection. */
  take(step: Step): string | undefined {
    const model = this.models[step.model];
    if (step.name === "create") {
      if (model) return "already_exists";
      this.models[step.model] = { state: "available", isPriced: step.isPriced, replacement: null };
      return undefined;
    }
    if (!model) return "unknown_model";
    if (model.state === "retired") return "state_conflict";
    if (step.name === "price") model.isPriced = step.isPriced;
    if (step.name === "point") return this.#point(model, step);
    if (step.name === "deprecate") return this.#deprecate(model, step);
    if (step.name === "retire") return this.#retire(model, step.model);
    return undefined;
  }

  #deprecate(model: ReferenceModel, { model: at, to, day }: Extract<Step, { name: "deprecate" }>): string | undefined {
    if (model.state !== "available") return "state_conflict";
    if (day === OVER || !this.#canReplace(to, at)) return "invalid_value";
    if (this.#isReplacing(at)) return "state_conflict";
    Object.assign(model, { state: "deprecated", replacement: to });
    return undefined;
  }

  #point(model: ReferenceModel, { model: at, to }: Extract<Step, { name: "point" }>): string | undefined {
    if (model.state !== "deprecated") return "state_conflict";
    if (!this.#canReplace(to, at)) return "invalid_value";
    model.replacement = to;
    return undefined;
  }

  #retire(model: ReferenceModel, at: number): string | undefined {
    if (model.state !== "deprecated" || !this.#canReplace(model.replacement!, at) || this.#isReplacing(at)) return "state_conflict";
    model.state = "retired";
    return undefined;
  }

  #canReplace(to: number, at: number): boolean {
    const target = this.models[to];
    return to !== at && target?.state === "available" && target.isPriced;
  }

  #isReplacing(at: number): boolean {
    return this.models.some((other) => other?.state === "deprecated" && other.replacement === at);
  }

  isCallable(at: number): boolean {
    const model = this.models[at];
    return model !== undefined && model.state !== "retired" && model.isPriced;
  }
}

const model = fc.nat(COUNT - 1);
const isPriced = fc.constantFrom(true, true, true, false);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constant("create" as const), model, isPriced }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant("price" as const), model, isPriced: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ name: fc.constant("deprecate" as const), model, to: model, day: fc.constantFrom(DAY, DAY, DAY, OVER) }),
  },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("point" as const), model, to: model }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant("retire" as const), model }) },
);

/** Sequences that random steps rarely produce: the replacement loses its price, or is retired, before the shutdown date. */
const anyDrama: fc.Arbitrary<Step[]> = fc.record({ model, to: model, other: model }).map(({ model: at, to, other }) => [
  { name: "deprecate", model: at, to, day: DAY },
  { name: "price", model: to, isPriced: false },
  { name: "retire", model: at },
  { name: "deprecate", model: to, to: other, day: DAY },
  { name: "point", model: at, to: other },
]);

const anyHistory = fc
  .array(fc.oneof({ weight: 9, arbitrary: anyStep.map((step) => [step]) }, { weight: 1, arbitrary: anyDrama }), {
    minLength: 10,
    maxLength: 35,
  })
  .map((parts) => parts.flat());

let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway({ yaml: "upstreams: [{ id: echo, dialect: echo }]\nmodels: []\n" });
  ({ key } = await gateway.makeKey());
});

afterAll(() => gateway.stop());

const headers = (): Record<string, string> => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

/** A few models with new names. */
class History {
  static #count = 0;
  readonly #prefix = `history-${++History.#count}-`;

  id(at: number): string {
    return `${this.#prefix}${at}`;
  }

  async take(step: Step): Promise<string | undefined> {
    const { status, body } = await this.#send(step);
    return status < 300 ? undefined : String(body["code"]);
  }

  #send(step: Step): ReturnType<typeof askPlatform> {
    const id = this.id(step.model);
    const path = `/api/models/${id}`;
    switch (step.name) {
      case "create":
        return askPlatform(gateway, "POST", "/api/models", { id, routes: [{ upstream: "echo", model: "echo" }], free: step.isPriced });
      case "price":
        return askPlatform(gateway, "PATCH", path, { free: step.isPriced });
      case "deprecate":
        return askPlatform(gateway, "POST", `${path}/deprecate`, { shutdown_date: step.day, replacement: this.id(step.to) });
      case "point":
        return askPlatform(gateway, "PATCH", path, { replacement: this.id(step.to) });
      case "retire":
        return askPlatform(gateway, "POST", `${path}/retire`);
    }
  }

  /** The view of each model for clients and operators. */
  async seen(): Promise<{ listed: string[]; states: unknown[] }> {
    const list = (await (await fetch(`${gateway.baseUrl}/models`, { headers: headers() })).json()) as { data: { id: string }[] };
    const page = await gateway.platform<{ data: Record<string, unknown>[] }>("GET", `/api/models?search=${this.#prefix}`);
    return {
      listed: list.data
        .map(({ id }) => id)
        .filter((id) => id.startsWith(this.#prefix))
        .toSorted(),
      states: page.data.map(({ id, state, replacement }) => [id, state, replacement]),
    };
  }

  expected(reference: Reference): Awaited<ReturnType<History["seen"]>> {
    const listed = reference.models.flatMap((_, at) => (reference.isCallable(at) ? [this.id(at)] : []));
    const states = reference.models.flatMap((each, at) => {
      return each ? [[this.id(at), each.state, each.replacement === null ? null : this.id(each.replacement)]] : [];
    });
    return { listed, states };
  }

  async call(at: number): Promise<string> {
    const body = JSON.stringify({ model: this.id(at), messages: [{ role: "user", content: "hi" }] });
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers: headers(), body });
    const text = await reply.text();
    return reply.ok
      ? `answered, ${reply.headers.get("x-tollgate-replacement")}`
      : (JSON.parse(text) as { error: { code: string } }).error.code;
  }

  expectedCall(reference: Reference, at: number): string {
    const each = reference.models[at];
    if (each?.state === "retired") return "model_retired";
    if (!reference.isCallable(at)) return "model_not_allowed";
    return `answered, ${each!.state === "deprecated" ? this.id(each!.replacement!) : null}`;
  }
}

test("for any sequence of steps, models equal the reference, and steps are rejected where it rejects", async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyHistory, async (steps) => {
      const reference = new Reference();
      const history = new History();
      for (const each of steps) {
        const expected = reference.take(each);
        met.add(`${each.name} ${expected}`);
        expect([each, await history.take(each)]).toEqual([each, expected]);
        expect(await history.seen()).toEqual(history.expected(reference));
      }
      for (let at = 0; at < COUNT; at++) expect(await history.call(at)).toBe(history.expectedCall(reference, at));
    }),
    runs(30, 1200),
  );
  // The histories must reach every state.
  for (const seen of [
    "retire undefined",
    "retire state_conflict",
    "deprecate state_conflict",
    "deprecate invalid_value",
    "point undefined",
  ]) {
    expect(met).toContain(seen);
  }
});
