import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { memberOf, OPERATOR, openPlatform, type Asked, type PlatformInProcess } from "./platform-in-process.ts";
import type { Actor } from "../src/vocabulary/access.ts";
import { GatewayError } from "../src/vocabulary/gateway-error.ts";

const MEMBER = memberOf("default");
const DAY = "2999-01-31";
const PRICE = { input_per_million: 1, output_per_million: 2 };

let open: PlatformInProcess;

beforeAll(async () => {
  open = await openPlatform();
  const routes = [{ upstream: "hidden-upstream", model: "hidden-name" }];
  await open.ask(OPERATOR, "createUpstream", {
    body: { id: "hidden-upstream", dialect: "openai", base_url: "https://hidden.example/v1", credential: "hidden-credential" },
  });
  const prices = [PRICE, { ...PRICE, effective: "2020-01-31" }, { ...PRICE, input_per_million: 3, effective: DAY }];
  await open.ask(OPERATOR, "createModel", { body: { id: "new<&>", routes, prices, context_window: 100, capabilities: ["tools"] } });
  await open.ask(OPERATOR, "createModel", { body: { id: "unpriced", routes } });
  for (const id of ["old", "gone"]) {
    await open.ask(OPERATOR, "createModel", { body: { id, routes, free: true } });
    await open.ask(OPERATOR, "deprecateModel", { params: { id }, body: { shutdown_date: DAY, replacement: "new<&>" } });
  }
  await open.ask(OPERATOR, "retireModel", { params: { id: "gone" } });
});

afterAll(() => open.stop());

async function get<T = Record<string, unknown>>(actor: Actor, operationId: string, asked?: Asked): Promise<T> {
  return (await (await open.ask(actor, operationId, asked)).json()) as T;
}

async function refusalOf(actor: Actor, operationId: string, asked?: Asked): Promise<string> {
  try {
    await open.ask(actor, operationId, asked);
    return "";
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.message}` : String(error);
  }
}

type Page = { data: Record<string, unknown>[] };
const idsIn = ({ data }: Page): unknown[] => data.map(({ id }) => id);

describe("models", () => {
  test("operators see all of them, members those that can be called", async () => {
    expect(idsIn(await get<Page>(OPERATOR, "listModels"))).toEqual(["gone", "new<&>", "old", "unpriced"]);
    expect(idsIn(await get<Page>(MEMBER, "listModels"))).toEqual(["new<&>", "old"]);
    expect(idsIn(await get<Page>(MEMBER, "listModels", { query: "state=retired" }))).toEqual([]);
  });

  test("a model that a member may not call is refused like one that is not there", async () => {
    const nobody = await refusalOf(MEMBER, "showModel", { params: { id: "nobody" } });
    expect(nobody).toStartWith("unknown_model ");
    for (const id of ["gone", "unpriced"]) expect(await refusalOf(MEMBER, "showModel", { params: { id } })).toBe(nobody);
  });

  test("where a model is served, and who decided about it, is for operators", async () => {
    const forOperator = await get(OPERATOR, "showModel", { params: { id: "old" } });
    expect(forOperator).toMatchObject({
      managed_by: "operator",
      routes: [{ upstream: "hidden-upstream", model: "hidden-name" }],
      deprecated_by: "Olga Operator",
      retired_by: null,
      price_changes: [{ by: "Olga Operator", declared: { free: true } }],
    });
    const forMember = await get(MEMBER, "showModel", { params: { id: "old" } });
    expect(Object.keys(forMember).toSorted()).toEqual([
      "capabilities",
      "coming_prices",
      "context_window",
      "created_at",
      "deprecated_at",
      "id",
      "max_output_tokens",
      "owned_by",
      "price",
      "replacement",
      "retired_at",
      "shutdown_date",
      "state",
    ]);
    expect(forMember).toMatchObject({
      state: "deprecated",
      shutdown_date: DAY,
      replacement: "new<&>",
      deprecated_at: forOperator["deprecated_at"],
    });
  });

  test("nothing that a member is shown names an upstream or an operator", async () => {
    const shown = [
      await get(MEMBER, "listModels"),
      await get(MEMBER, "showModel", { params: { id: "new<&>" } }),
      await get(MEMBER, "listAnnouncements"),
      await (await open.ask(MEMBER, "showFeed")).text(),
    ];
    expect(JSON.stringify(shown)).not.toMatch(/hidden|Olga|person_/);
  });

  test("prices of the past, of now and of days to come are told apart", async () => {
    expect(await get(OPERATOR, "showModel", { params: { id: "new<&>" } })).toMatchObject({
      price: { effective_at: "2020-01-31T00:00:00.000Z" },
      coming_prices: [{ input_per_million: 3, effective_at: `${DAY}T00:00:00.000Z` }],
      past_prices: [{ effective_at: "1970-01-01T00:00:00.000Z" }],
    });
  });
});

describe("the changelog", () => {
  const modelsIn = ({ data }: Page): unknown[] => data.map(({ model, state }) => `${String(model)} ${String(state)}`);

  test("tells operators everything and members what they can, or could, call", async () => {
    const forMember = ["gone retired", "gone deprecated", "gone available", "old deprecated", "old available", "new<&> available"];
    expect(modelsIn(await get<Page>(MEMBER, "listAnnouncements"))).toEqual(forMember);
    expect(modelsIn(await get<Page>(OPERATOR, "listAnnouncements"))).toEqual([
      ...forMember.slice(0, 5),
      "unpriced available",
      "new<&> available",
    ]);
  });

  test("comes in pages, of which a member's skip what is not for members", async () => {
    const all: unknown[] = [];
    let query = "limit=2";
    for (let pages = 0; pages < 10; pages++) {
      const page = await get<Page & { next: string | null }>(MEMBER, "listAnnouncements", { query });
      all.push(...modelsIn(page));
      if (page.next === null) break;
      query = `limit=2&cursor=${page.next}`;
    }
    expect(all).toEqual(modelsIn(await get<Page>(MEMBER, "listAnnouncements")));
  });

  test("is also a feed, in which ids with marks of their own do no harm", async () => {
    const response = await open.ask(MEMBER, "showFeed");
    expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    const xml = await response.text();
    expect(xml).toContain("<title>gone is retired</title>");
    expect(xml).toContain("<summary>The model gone was retired. Use new&lt;&amp;&gt; instead.</summary>");
    expect(xml).not.toContain("new<&>");
    expect([...xml.matchAll(/<entry>/g)]).toHaveLength(6);
    expect(new Set([...xml.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id)).size).toBe(7);
    expect(isWellFormed(xml)).toBe(true);
  });
});

/** Whether every element that begins also ends, in order, and no bare `<` or `&` is left. */
function isWellFormed(xml: string): boolean {
  const inside: string[] = [];
  for (const [, isEnd, name, isEmpty] of xml.replace(/^<\?xml[^>]*\?>/, "").matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (isEnd && inside.pop() !== name) return false;
    if (!isEnd && !isEmpty) inside.push(name!);
  }
  const rest = xml.replaceAll(/<[^<>]*>/g, "");
  return inside.length === 0 && !/[<>]|&(?!(?:amp|lt|gt);)/.test(rest);
}
