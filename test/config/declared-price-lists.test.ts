import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Account, PriceList, Receipt } from "../../platform-client/types.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { reloadWith } from "../support/gateway/reload-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";

const LIST = "{ id: partners, name: Partners, percent: 50 }";
const ACME = "{ id: acme, name: Acme, price_list: partners }";

let upstream: MockUpstream;
let gateway: RunningGateway;

const fileWith = (lists: string, accounts: string): string =>
  `${configFor(upstream.baseUrl, ["a"])}price_lists: [${lists}]\naccounts: [${accounts}]\n`;

beforeAll(async () => {
  upstream = startMockUpstream({ "up-a": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: fileWith(LIST, ACME) });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function reload(lists: string, accounts: string): Promise<unknown> {
  const [result] = await Promise.allSettled([reloadWith(gateway, fileWith(lists, accounts))]);
  return result.status === "fulfilled" ? result.value : String(result.reason);
}

async function refusalOf(method: string, path: string, body: object): Promise<string> {
  const [result] = await Promise.allSettled([gateway.platform(method, path, body)]);
  return result.status === "rejected" ? String(result.reason) : "none";
}

async function charge(key: string): Promise<Receipt> {
  const { requestId } = await postChat(gateway, key, chatBody("a"));
  return gateway.platform<Receipt>("GET", `/api/receipts/${requestId}`);
}

test("a declared price list applies to declared accounts, also after a reload, and is changed only in the file", async () => {
  await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "5", reference: "r", reason: "test" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", account: "acme", models: ["*"] });
  const first = await charge(key);
  // Four tokens at $1, one at $0.10 and two at $2 per million cost $0.0000081. Half of that is charged here.
  expect([first.charged, first.price!.price_list]).toEqual(["0.00000405", "partners"]);
  const list = await gateway.platform<PriceList>("GET", "/api/price-lists/partners");
  expect([list.managed_by, list.accounts]).toEqual(["file", 1]);
  expect(await refusalOf("PATCH", "/api/price-lists/partners", { percent: 10 })).toContain("managed_elsewhere");
  expect(await refusalOf("PATCH", "/api/accounts/acme", { price_list: null })).toContain("managed_elsewhere");

  const report = await reload(LIST.replace("percent: 50", "percent: 200"), ACME);
  expect(report).toMatchObject({ price_lists: 1, changed: { added: [], changed: [{ kind: "price_list", id: "partners" }], removed: [] } });
  expect((await charge(key)).charged).toBe("0.0000162");
  expect(await gateway.platform<Receipt>("GET", `/api/receipts/${first.request_id}`)).toEqual(first);
});

test("a file with an unknown price list, without one that is used, or with an invalid one is rejected at its place", async () => {
  expect(await reload(LIST, ACME.replace("list: partners", "list: nobody"))).toContain(
    'accounts[0].price_list names \\"nobody\\", and there is no such price list',
  );
  expect(await reload("{ id: partners, name: Partners }", ACME)).toContain("price_lists[0].percent is required");
  expect(await reload("{ id: p, name: P, models: { a: { price: { input_per_million: 1 } } } }", "")).toContain(
    "price_lists[0].models.a.price.output_per_million",
  );
  expect(await reload(`${LIST}, ${LIST}`, ACME)).toContain("price_lists[1].id repeats");
  // The account is no longer in the file, but keeps its price list.
  expect(await reload(LIST, "")).toMatchObject({ accounts: 0 });
  expect((await gateway.platform<Account>("GET", "/api/accounts/acme")).price_list).toBe("partners");
  expect(await reload("", "")).toContain("the price list partners is missing from the file, but the account acme has it");
  await gateway.platform("PATCH", "/api/accounts/acme", { price_list: null });
  expect(await reload("", "")).toMatchObject({ price_lists: 0, changed: { removed: [{ kind: "price_list", id: "partners" }] } });
});
