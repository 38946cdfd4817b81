import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Actor } from "../../src/access/access.ts";
import { memberOf, OPERATOR, openPlatform, type CallInput, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const MEMBER = memberOf("default");
/** A member of an account that may call two of the models, one of them retired. */
const NARROW = memberOf("narrow");
const DAY = "2999-01-31";
const PRICE = { input_per_million: 1, output_per_million: 2 };

let platform: PlatformInProcess;

beforeAll(async () => {
  platform = await openPlatform();
  await platform.call(OPERATOR, "createAccount", { body: { id: "narrow", name: "Narrow", models: ["ol*", "gone"] } });
  const routes = [{ upstream: "hidden-upstream", model: "hidden-name" }];
  await platform.call(OPERATOR, "createUpstream", {
    body: { id: "hidden-upstream", dialect: "openai", base_url: "https://hidden.example/v1", credential: "hidden-credential" },
  });
  const prices = [PRICE, { ...PRICE, effective: "2020-01-31" }, { ...PRICE, input_per_million: 3, effective: DAY }];
  await platform.call(OPERATOR, "createModel", { body: { id: "new<&>", routes, prices, context_window: 100, capabilities: ["tools"] } });
  await platform.call(OPERATOR, "createModel", { body: { id: "unpriced", routes } });
  for (const id of ["old", "gone"]) {
    await platform.call(OPERATOR, "createModel", { body: { id, routes, free: true } });
    await platform.call(OPERATOR, "deprecateModel", { params: { id }, body: { shutdown_date: DAY, replacement: "new<&>" } });
  }
  await platform.call(OPERATOR, "retireModel", { params: { id: "gone" } });
});

afterAll(() => platform.stop());

async function get<T = Record<string, unknown>>(actor: Actor, operationId: string, input?: CallInput): Promise<T> {
  const { status, body } = await platform.call(actor, operationId, input);
  expect([operationId, status]).toEqual([operationId, 200]);
  return body as T;
}

type Page = { data: Record<string, unknown>[] };
const idsIn = ({ data }: Page): unknown[] => data.map(({ id }) => id);

describe("models", () => {
  test("operators see all models, members those that can be called", async () => {
    expect(idsIn(await get<Page>(OPERATOR, "listModels"))).toEqual(["gone", "new<&>", "old", "unpriced"]);
    expect(idsIn(await get<Page>(MEMBER, "listModels"))).toEqual(["new<&>", "old"]);
    expect(idsIn(await get<Page>(MEMBER, "listModels", { query: "state=retired" }))).toEqual([]);
    expect(idsIn(await get<Page>(NARROW, "listModels"))).toEqual(["old"]);
  });

  test("with a key, only the models that its list, its account and its state allow", async () => {
    const makeKey = async (account: string, models: readonly string[]): Promise<string> => {
      const { body } = await platform.call(OPERATOR, "createKey", { body: { name: "k", account, models } });
      return String(body["id"]);
    };
    const [wide, one, narrow] = [await makeKey("default", ["*"]), await makeKey("default", ["new*"]), await makeKey("narrow", ["*"])];
    expect(idsIn(await get<Page>(OPERATOR, "listModels", { query: `key=${wide}` }))).toEqual(["new<&>", "old"]);
    expect(idsIn(await get<Page>(MEMBER, "listModels", { query: `key=${one}` }))).toEqual(["new<&>"]);
    expect(idsIn(await get<Page>(OPERATOR, "listModels", { query: `key=${narrow}` }))).toEqual(["old"]);
    const token = { ...OPERATOR, scopes: ["models:read" as const] };
    for (const id of [wide, "no-such-key"]) {
      const refused = await platform.call(token, "listModels", { query: `key=${id}` });
      expect([refused.status, refused.text]).toEqual([403, "The access token does not have the scope keys:read."]);
    }
    const both = { ...OPERATOR, scopes: ["models:read" as const, "keys:read" as const] };
    expect(idsIn(await get<Page>(both, "listModels", { query: `key=${narrow}` }))).toEqual(["old"]);
    const foreign = await platform.call(MEMBER, "listModels", { query: `key=${narrow}` });
    expect([foreign.status, foreign.body["code"]]).toEqual([404, "unknown_key"]);
    await platform.call(OPERATOR, "revokeKey", { params: { id: one } });
    expect(idsIn(await get<Page>(MEMBER, "listModels", { query: `key=${one}` }))).toEqual([]);
  });

  test("a model that a member may not call is a 404, like an unknown one", async () => {
    const refused = async (actor: typeof MEMBER, id: string): Promise<unknown> => {
      const { status, body } = await platform.call(actor, "showModel", { params: { id } });
      return { status, body: { ...body, detail: String(body["detail"]).replace(JSON.stringify(id), "ID") } };
    };
    const nobody = await refused(MEMBER, "nobody");
    expect(nobody).toMatchObject({ status: 404, body: { code: "unknown_model" } });
    for (const id of ["gone", "unpriced"]) expect(await refused(MEMBER, id)).toEqual(nobody);
    expect(await refused(NARROW, "new<&>")).toEqual(nobody);
  });

  test("routes and authors of changes are visible to operators only", async () => {
    const forOperator = await get(OPERATOR, "showModel", { params: { id: "old" } });
    expect(forOperator).toMatchObject({
      managed_by: "operator",
      routes: [{ upstream: "hidden-upstream", model: "hidden-name" }],
      deprecated_by: "Op",
      retired_by: null,
      price_changes: [{ by: "Op", declared: { free: true } }],
    });
    const forMember = await get(MEMBER, "showModel", { params: { id: "old" } });
    expect(Object.keys(forMember).toSorted()).toEqual([
      "capabilities",
      "context_window",
      "created_at",
      "deprecated_at",
      "id",
      "kind",
      "max_output_tokens",
      "owned_by",
      "price",
      "replacement",
      "retired_at",
      "shutdown_date",
      "state",
      "upcoming_prices",
    ]);
    expect(forMember).toMatchObject({
      state: "deprecated",
      shutdown_date: DAY,
      replacement: "new<&>",
      deprecated_at: forOperator["deprecated_at"],
    });
  });

  test("no reply to a member names an upstream or an operator", async () => {
    const shown = [
      await get(MEMBER, "listModels"),
      await get(MEMBER, "showModel", { params: { id: "new<&>" } }),
      await get(MEMBER, "listAnnouncements"),
      (await platform.call(MEMBER, "showFeed")).text,
    ];
    expect(JSON.stringify(shown)).not.toMatch(/hidden|"Op"|person_/);
  });

  test("past, present and future prices are distinguished", async () => {
    expect(await get(OPERATOR, "showModel", { params: { id: "new<&>" } })).toMatchObject({
      price: { effective_at: "2020-01-31T00:00:00.000Z" },
      upcoming_prices: [{ input_per_million: 3, effective_at: `${DAY}T00:00:00.000Z` }],
      past_prices: [{ effective_at: "1970-01-01T00:00:00.000Z" }],
    });
  });
});

const movesIn = ({ data }: Page): unknown[] => data.map(({ model, state }) => `${String(model)} ${String(state)}`);

describe("the changelog", () => {
  test("shows operators everything, and members the models that they can or could call", async () => {
    const forMember = ["gone retired", "gone deprecated", "gone available", "old deprecated", "old available", "new<&> available"];
    expect(movesIn(await get<Page>(MEMBER, "listAnnouncements"))).toEqual(forMember);
    expect(movesIn(await get<Page>(NARROW, "listAnnouncements"))).toEqual(forMember.slice(0, 5));
    expect(movesIn(await get<Page>(OPERATOR, "listAnnouncements"))).toEqual([
      ...forMember.slice(0, 5),
      "unpriced available",
      "new<&> available",
    ]);
  });

  test("has pages; members' pages skip announcements that they may not see", async () => {
    const all: unknown[] = [];
    let query = "limit=2";
    for (let pages = 0; pages < 10; pages++) {
      const page = await get<Page & { next: string | null }>(MEMBER, "listAnnouncements", { query });
      all.push(...movesIn(page));
      if (page.next === null) break;
      query = `limit=2&cursor=${page.next}`;
    }
    expect(all).toEqual(movesIn(await get<Page>(MEMBER, "listAnnouncements")));
  });

  test("is also an Atom feed, in which model IDs are escaped", async () => {
    const { text: xml } = await platform.call(MEMBER, "showFeed");
    expect(xml).toContain("<title>gone is retired</title>");
    expect(xml).toContain("<summary>The model gone was retired. Use new&lt;&amp;&gt; instead.</summary>");
    expect(xml).not.toContain("new<&>");
    expect([...xml.matchAll(/<entry>/g)]).toHaveLength(6);
    expect(new Set([...xml.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id)).size).toBe(7);
    expect(isWellFormed(xml)).toBe(true);
  });

  test("has the URL of the gateway in the link and the IDs of the feed, so that a reader can follow several gateways", async () => {
    const { text: xml } = await platform.call(MEMBER, "showFeed");
    const [, address] = /<link rel="self" href="([^"]+)"\/>/.exec(xml)!;
    expect(address).toMatch(/^https?:\/\/[^/]+\/api\/changelog\.atom$/);
    const [feedId, ...entryIds] = [...xml.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id);
    expect(feedId).toBe(address);
    for (const id of entryIds) expect(id).toStartWith(`${address}#`);
  });

  test("announces a changed shutdown date with the new date in the title", async () => {
    await platform.call(OPERATOR, "updateModel", { params: { id: "old" }, body: { shutdown_date: "2999-12-31" } });
    const { text: xml } = await platform.call(MEMBER, "showFeed");
    expect([...xml.matchAll(/<title>(old[^<]*)<\/title>/g)].map(([, title]) => title)).toEqual([
      "old is deprecated and will be retired on 2999-12-31",
      `old is deprecated and will be retired on ${DAY}`,
      "old is available",
    ]);
  });
});

/** Whether every start tag has its end tag, in order, and there is no unescaped `<` or `&`. */
function isWellFormed(xml: string): boolean {
  const inside: string[] = [];
  for (const [, isEnd, name, isEmpty] of xml.replace(/^<\?xml[^>]*\?>/, "").matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (isEnd && inside.pop() !== name) return false;
    if (!isEnd && !isEmpty) inside.push(name!);
  }
  const rest = xml.replaceAll(/<[^<>]*>/g, "");
  return inside.length === 0 && !/[<>]|&(?!(?:amp|lt|gt);)/.test(rest);
}
