import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Receipt } from "../../platform-client/types.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { commandRunner, type CommandRunner } from "./command-runner.ts";

let gateway: RunningGateway;
let tollgate: CommandRunner;
let key: { id: string; key: string };

beforeAll(async () => {
  gateway = await startGateway();
  tollgate = commandRunner(gateway);
  await gateway.platform("POST", "/api/upstreams", { id: "box", dialect: "echo" });
  for (const id of ["fast-chat", "old-chat"]) {
    const price = { input_per_million: 1000, output_per_million: 1000 };
    await gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "box", model: "echo" }], price });
  }
  key = await gateway.makeKey(["*"], { name: "my application" });
  for (const model of ["fast-chat", "old-chat", "old-chat"]) {
    expect((await postChat(gateway, key.key, chatBody(model, { max_tokens: 5 }))).status).toBe(200);
  }
});

afterAll(() => gateway.stop());

test("--preview shows the impact of a change, and makes none", async () => {
  const before = await tollgate.text("audit log --json");
  const shown = await tollgate.text(`keys update ${key.id} --models fast-chat --preview`);
  const lines = shown.split("\n");
  expect(lines[0]).toMatch(/^Range     \d{4}-\d\d-\d\d \d\d:\d\d:\d\d to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  expect(lines[1]).toBe("Requests  3 simulated with the change");
  expect(lines[2]).toBe("Rejected  2: 2 model_not_allowed");
  expect(lines[3]).toMatch(/^Cost {6}\$\S+ → \$\S+, \$\S+ less$/);
  expect(lines[4]).toBe("Keys      1 affected");
  expect(lines[6]).toMatch(/^KEY +REQUESTS +REJECTED +COST +NEW COST +ACCOUNT +NAME$/);
  expect(lines[7]).toMatch(new RegExp(`^${key.id} +3 +2 +\\S+ +\\S+ +default +my application$`));
  expect(lines.at(-2)).toBe("Nothing was saved. Run keys update without --preview to make the change.");
  expect(await tollgate.text("audit log --json")).toBe(before);
});

test("every change command has a preview, complete with --json", async () => {
  expect(await tollgate.text("accounts update default --total-cap 0.000001 --preview")).toContain("3 budget_exceeded");
  const dearer = await tollgate.text("models update old-chat --input-price 2000 --output-price 2000 --preview");
  expect(dearer).toMatch(/^Rejected +none$/m);
  expect(dearer).toMatch(/^Cost .* → .* more$/m);
  const deprecation = "models deprecate old-chat --shutdown-date 2999-06-30 --replacement fast-chat";
  expect(await tollgate.text(`${deprecation} --preview`)).toMatch(/^Replacement +fast-chat, named in the announcement$/m);
  expect(await tollgate.text(deprecation)).toContain("deprecated");
  expect(await tollgate.text("models retire old-chat --preview")).toMatch(/^Replacement +fast-chat, named in each rejection$/m);
  const end = await tollgate.json<object>("models retire old-chat --preview");
  expect(end).toMatchObject({ requests: 2, refused: 2, refused_by: { model_retired: 2 }, replacement: "fast-chat" });
  expect(await tollgate.text("models show old-chat")).toContain("deprecated");
});

test("a preview needs a change", async () => {
  const nothing = await tollgate.run(`keys update ${key.id} --preview`);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("give at least one option to change") as string]);
});

test("a price list names models that do not exist, the date of its future prices, and its percentage on receipts", async () => {
  const models = '{"fast-chta":{"free":true},"old-chat":{"free":true}}';
  const made = await tollgate.text(`price-lists create partners --percent 100 --models '${models}'`);
  expect(made).toEndWith(" --preview\nThere is no model fast-chta.\n");
  expect(await tollgate.text("price-lists show partners")).toEndWith("There is no model fast-chta.\n");
  expect(await tollgate.json<object>("price-lists show partners")).toMatchObject({ unknown_models: ["fast-chta"] });
  await tollgate.text("accounts update default --price-list partners");
  const later = `price-lists update partners --percents '[{"percent":100},{"percent":85,"effective":"2999-07-01"}]'`;
  expect(await tollgate.text(`${later} --preview`)).toMatch(/^Cost +\$\S+ → \$\S+, \$\S+ less, at the prices from 2999-07-01$/m);
  expect(await tollgate.json<object>(`${later} --preview`)).toMatchObject({ prices_from: "2999-07-01T00:00:00.000Z" });
  const now = await tollgate.text("price-lists update partners --percent 50 --preview");
  expect(now).toMatch(/^Cost .* less$/m);
  await tollgate.text("price-lists update partners --percent 50");
  const { requestId } = await postChat(gateway, key.key, chatBody("fast-chat", { max_tokens: 5 }));
  const receipt = await tollgate.text(`receipt ${requestId}`);
  expect(receipt).toMatch(/^Price +price list partners, 50 % of \$1000 input and \$1000 output, version /m);
  const { derived_from: derived } = await tollgate.json<Receipt>(`receipt ${requestId}`);
  expect(derived).toMatchObject({ percent: 50, price: { input_per_million: 1000, price_list: null } });
});
