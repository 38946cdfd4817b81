import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyPage } from "../../platform-client/types.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { CsvSource, keyRow, plaintextOf, type CsvRow } from "./csv-source.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-re-import-"));
const upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good"]) });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true });
});

async function call(name: string): Promise<string> {
  const { status, code } = await postChat(gateway, plaintextOf(name), chatBody("good"));
  return `${status} ${code ?? ""}`.trim();
}

const callAll = (names: readonly string[]): Promise<string[]> => Promise.all(names.map(call));

const PAUSED = "401 api_key_paused";

const TEAM: CsvRow = { team_id: "t", blocked: "f" };

test("a re-import pauses and reports each key that the source no longer has as valid", async () => {
  const source = new CsvSource(folder);
  const names = ["stays", "deleted", "recorded", "regenerated", "expired", "blocked", "moved", "teamless", "of-blocked-team", "orphan"];
  const rows = Object.fromEntries(names.map((name) => [name, keyRow(name, { team_id: "t" })]));
  rows["teamless"] = keyRow("teamless", { team_id: "gone" });
  rows["of-blocked-team"] = keyRow("of-blocked-team", { team_id: "other" });
  rows["orphan"] = keyRow("orphan", { team_id: "lonely" });
  source.write("LiteLLM_VerificationToken", Object.values(rows));
  source.write("LiteLLM_TeamTable", [TEAM, { team_id: "gone" }, { team_id: "other" }, { team_id: "lonely" }]);
  expect((await source.importInto(gateway, "--apply")).applied?.keys).toEqual({ created: names.length });
  expect(await callAll(names)).toEqual(names.map(() => "200"));

  source.write("LiteLLM_VerificationToken", [
    rows["stays"]!,
    { ...rows["expired"]!, expires: "2025-01-01 00:00:00" },
    { ...rows["blocked"]!, blocked: "t" },
    // The key moves to another team, whose account has no such key here.
    { ...rows["moved"]!, team_id: "other", blocked: "t" },
    { ...rows["regenerated"]!, ...keyRow("new-secret") },
    rows["teamless"],
    rows["of-blocked-team"],
  ]);
  source.write("LiteLLM_DeletedVerificationToken", [rows["recorded"]!]);
  source.write("LiteLLM_TeamTable", [TEAM, { team_id: "other", blocked: "t" }]);
  const dry = await source.importInto(gateway);
  expect(await callAll(names)).toEqual(names.map(() => "200"));
  const { applied, notes } = await source.importInto(gateway, "--apply");
  expect(notes).toEqual(expect.arrayContaining([...dry.notes]));
  expect(applied?.keys).toEqual({ paused: 7, unchanged: 1, updated: 2, conflict: 1, created: 1 });
  expect(await callAll(names)).toEqual(["200", ...names.slice(1).map(() => PAUSED)]);
  expect(await call("new-secret")).toBe("200");
  const reported = Object.fromEntries(notes.map(({ why, subjects }) => [why, subjects.toSorted()]));
  expect(reported).toMatchObject({
    "keys that are no longer at the source, deleted or regenerated there, were paused here": [
      "key deleted",
      "key orphan",
      "key regenerated",
    ],
    "keys that were deleted at the source were paused here": ["key recorded"],
    "keys that have expired were paused here": ["key expired"],
    "keys whose team does not exist were paused here": ["key teamless"],
    "keys that are blocked at the source were paused here": ["key moved"],
    "keys of blocked teams were imported as paused": ["key moved", "key of-blocked-team"],
  });
  const again = await source.importInto(gateway, "--apply");
  expect(again.applied?.keys).toMatchObject({ unchanged: 4, conflict: 1 });
  expect(again.applied?.keys["paused"]).toBeUndefined();
});

function budget(spend: number, resetAt: string): CsvRow {
  return { max_budget: 60, spend, budget_duration: "30d", budget_reset_at: resetAt };
}

test("the spend of the current period counts, for keys and accounts, until the source resets it", async () => {
  const source = new CsvSource(folder);
  const [past, later] = ["2025-01-01 00:00:00", "2099-01-01 00:00:00"];
  const write = (spend: number): void => {
    source.write("LiteLLM_VerificationToken", [
      keyRow("spent", { team_id: "of-keys", ...budget(spend, later) }),
      keyRow("reset", { team_id: "of-keys", ...budget(spend, past) }),
      keyRow("of-spent-team", { team_id: "spent" }),
    ]);
    source.write("LiteLLM_TeamTable", [{ team_id: "of-keys" }, { team_id: "spent", ...budget(spend, later) }]);
  };
  const names = ["spent", "reset", "of-spent-team"];
  // A thousandth of a cent remains, which is less than the cost of a request.
  write(59.99999);
  expect((await source.importInto(gateway, "--apply")).applied?.keys).toEqual({ created: 3 });
  expect(await callAll(names)).toEqual(["402 budget_exceeded", "200", "402 budget_exceeded"]);
  const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=team-of-keys&search=spent");
  expect(data).toMatchObject([{ caps: { month: "60.00" }, carried_spend: { day: null, month: { amount: "59.99999" } } }]);
  // Another change does not affect it.
  await gateway.platform("PATCH", "/api/accounts/team-spent", { caps: { month: "60" }, name: "Spent" });
  expect(await call("of-spent-team")).toBe("402 budget_exceeded");
  const again = await source.importInto(gateway, "--apply");
  expect(again.applied).toMatchObject({ accounts: { updated: 1 }, keys: { unchanged: 3 } });
  write(10);
  await source.importInto(gateway, "--apply");
  expect(await callAll(names)).toEqual(["200", "200", "200"]);
});

test("a folder that lacks files is rejected with the names of all that its keys refer to", async () => {
  const source = new CsvSource(folder);
  source.write("LiteLLM_VerificationToken", [keyRow("of-team", { team_id: "t" }), keyRow("of-user", { user_id: "u", budget_id: "b" })]);
  const [failed] = await Promise.allSettled([source.importInto(gateway, "--apply")]);
  expect(String((failed as PromiseRejectedResult).reason)).toContain(
    "the folder lacks LiteLLM_TeamTable.csv, LiteLLM_UserTable.csv, LiteLLM_BudgetTable.csv, which its keys and teams refer to",
  );
  expect(await callAll(["of-team", "of-user"])).toEqual(["401 invalid_api_key", "401 invalid_api_key"]);
  source.write("LiteLLM_VerificationToken", [keyRow("alone")]);
  const { notes } = await source.importInto(gateway);
  expect(notes[0]!.why).toBe("files that are not in the folder were read as empty tables");
  expect(notes[0]!.subjects).toContain("LiteLLM_DeletedVerificationToken.csv");
});

test("names in lists that are not models here are reported: they may be access groups of LiteLLM's config file", async () => {
  const source = new CsvSource(folder);
  source.write("LiteLLM_VerificationToken", [keyRow("grouped", { models: "{good,beta}" }), keyRow("fine", { models: "{good,go*}" })]);
  const { notes } = await source.importInto(gateway);
  expect(notes.find(({ why }) => why.startsWith("lists of models have names of no model here"))?.subjects).toEqual(["beta of key grouped"]);
});

test("a source is known again when all of its keys were regenerated, and keys of another source stay", async () => {
  const [first, second] = [new CsvSource(folder), new CsvSource(folder)];
  const created_at = "2026-03-01 10:00:00.123";
  first.write("LiteLLM_VerificationToken", [keyRow("only", { user_id: "one", created_at })]);
  first.write("LiteLLM_UserTable", [{ user_id: "one" }]);
  second.write("LiteLLM_VerificationToken", [keyRow("of-second", { user_id: "two" })]);
  second.write("LiteLLM_UserTable", [{ user_id: "two" }]);
  await first.importInto(gateway, "--apply");
  await second.importInto(gateway, "--apply");
  first.write("LiteLLM_VerificationToken", [keyRow("only-new", { user_id: "one", created_at })]);
  const { applied } = await first.importInto(gateway, "--apply");
  expect(applied).toMatchObject({ accounts: { created: 0, unchanged: 1 }, keys: { paused: 1, created: 1 } });
  expect(await callAll(["only", "only-new", "of-second", "stays"])).toEqual([PAUSED, "200", "200", "200"]);
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
});
