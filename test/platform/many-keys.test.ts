import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isLong } from "../support/long.ts";
import { addManyKeys } from "../support/gateway/many-keys.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

const COUNT = isLong ? 100_000 : 20_000;

interface Page {
  readonly data: { id: string; name: string }[];
  readonly next: string | null;
}

let gateway: RunningGateway;

beforeAll(async () => {
  const first = await startGateway();
  await first.end();
  addManyKeys(join(first.folder, "data", "tollgate.db"), COUNT);
  gateway = await startGateway({ folder: first.folder });
});

afterAll(() => gateway.stop());

const page = (query: string): Promise<Page> => gateway.platform("GET", `/api/keys?${query}`);
const make = (name: string): Promise<{ id: string; key: string }> => gateway.platform("POST", "/api/keys", { name, models: ["*"] });

describe(`among ${COUNT.toLocaleString("en")} keys`, () => {
  test("the list returns the newest keys and a search its matches, in pages", async () => {
    const { id } = await make("the newest one");
    const first = await page("");
    expect([first.data.length, first.data[0]!.id]).toEqual([50, id]);
    expect(first.next).not.toBeNull();
    const namesOf = async (query: string): Promise<string[]> => (await page(query)).data.map(({ name }) => name);
    expect(await namesOf("search=NEWEST")).toEqual(["the newest one"]);
    expect(await namesOf(`search=number%20${COUNT - 1}`)).toEqual([`key number ${COUNT - 1}`]);
    expect(await namesOf("search=key000000001")).toEqual(["key number 1"]);
    expect(await namesOf("search=nothing-like-it")).toEqual([]);
    expect(await namesOf("state=revoked")).toEqual([]);
    expect((await page("search=number&limit=1000")).data).toHaveLength(1000);
    const rare = await page("search=number%201234&limit=8");
    const rest = await page(`search=number%201234&limit=8&cursor=${rare.next}`);
    // 1234, and ten keys from 12340 on: far apart in the list, and on two pages.
    expect([...rare.data, ...rest.data].map(({ name }) => Number(name.slice(11)))).toEqual([
      12_349, 12_348, 12_347, 12_346, 12_345, 12_344, 12_343, 12_342, 12_341, 12_340, 1234,
    ]);
    expect(rest.next).toBeNull();
  });

  test("a new key works at once, and can be found, changed and revoked", async () => {
    const { key } = await make("works");
    expect((await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect(await gateway.platform<object>("GET", "/api/keys/key000010000")).toMatchObject({ name: "key number 10000", active: true });
    expect(await gateway.platform<object>("DELETE", "/api/keys/key000010000")).toMatchObject({ active: false });
    expect((await page("state=revoked")).data.map(({ id }) => id)).toEqual(["key000010000"]);
  });

  test("paging returns every key once while keys are added", async () => {
    const seen = new Map<string, number>();
    let added = 0;
    for (let cursor: string | null = ""; cursor !== null;) {
      const asked: [Promise<Page>, Promise<object>] = [page(`limit=1000${cursor && `&cursor=${cursor}`}`), make(`added ${added++}`)];
      const [{ data, next }] = await Promise.all(asked);
      for (const { id } of data) seen.set(id, (seen.get(id) ?? 0) + 1);
      cursor = next;
    }
    expect(added).toBeGreaterThan(COUNT / 1000);
    expect(new Set(seen.values())).toEqual(new Set([1]));
    const visited = [...seen.keys()].filter((id) => /^key\d{9}$/.test(id));
    expect(visited).toHaveLength(COUNT);
  });
});
