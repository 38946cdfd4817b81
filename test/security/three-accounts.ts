import { issueAccessToken } from "../../src/access/access-token.ts";
import { SCOPES } from "../../src/access/access.ts";
import { issueKey } from "../../src/access/api-key.ts";
import { ownChange } from "../../src/access/change.ts";
import { makeExport } from "../../src/access/request-export.ts";
import { NO_CAPS, NO_LIMITS } from "../../src/money/limits.ts";
import { parseDollars } from "../../src/money/money.ts";
import { beginSession } from "../../src/access/session.ts";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { startClockedPlatform, type ClockedPlatform } from "../people/clocked-platform.ts";
import { attemptAt, endedAt } from "../request-log/ended-samples.ts";
import { firstOperator, invite, PASSWORD, Visitor } from "../people/visitor.ts";

/** The account whose member makes the calls. */
export const OWN_ACCOUNT = "own";

const KEY_SCOPES = SCOPES.filter((scope) => scope.startsWith("keys"));

/** The possible passwords of the member. Everyone else has another password. */
export const OWN_PASSWORDS = ["the member has this one", "or perhaps this other one"] as const;

/** Data of other accounts and people. */
export interface Foreign {
  /** IDs that the member may have learnt, and can therefore request. */
  readonly ids: readonly string[];
  /**
   * Matches text that must not be in any reply to the member. The member cannot guess it: names all start in the same way, and IDs are
   * random.
   */
  readonly marks: RegExp;
}

/** IDs by the part of the platform that uses them. */
type OwnIds = Readonly<Record<string, readonly string[]>>;

/** The member's credentials and key. Sessions are cookies. */
export interface RefreshedCredentials {
  readonly sessions: readonly string[];
  readonly tokens: readonly string[];
  readonly key: string;
  readonly ids: OwnIds;
}

/** Three accounts with all data that an account can have, and a member of the first account. */
export interface ThreeAccounts {
  readonly running: ClockedPlatform;
  readonly operator: Visitor;
  readonly memberId: string;
  readonly ownIds: OwnIds;
  readonly foreign: Foreign;
  /** Gives the member new credentials and a new key, because many calls revoke the ones that they use or receive. */
  refresh(): Promise<RefreshedCredentials>;
  stop(): Promise<void>;
}

export async function startThreeAccounts(): Promise<ThreeAccounts> {
  const running = await startClockedPlatform();
  const operator = await firstOperator(running.url, running.makeFirstLink());
  let named = 0;
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const { status, text } = await operator.call("POST", path, body, { "idempotency-key": `shared-${named++}` });
    if (status >= 300) throw new Error(text);
    return JSON.parse(text) as Record<string, unknown>;
  };
  await makeCatalog(post);
  const [, , , ownRequest] = await makeAccount(OWN_ACCOUNT, ["open-*"]);
  const others = [await makeAccount("acct-b", ["*"]), await makeAccount("acct-c", ["hidden-1"])];
  await makeRestricted(post);
  const colleague = await makePerson("mark-colleague", OWN_ACCOUNT);
  const member = await invite(operator, running.url, { email: "member@example.test", name: "The member", account: OWN_ACCOUNT });
  await member.visitor.call("POST", "/api/me/password", { current: PASSWORD, new: OWN_PASSWORDS[0] });
  const { person } = (await operator.call("GET", "/api/me")).body as unknown as { person: { id: string } };
  const { data: operatorSessions } = (await operator.call("GET", "/api/me/sessions")).body;

  async function makeAccount(id: string, models: readonly string[]): Promise<string[]> {
    await post("/api/accounts", { id, name: nameOf(id, "incorporated"), models, caps: { month: "87654.321" } });
    await post(`/api/accounts/${id}/grants`, { amount: "7654.321", reference: nameOf(id, "invoice"), reason: nameOf(id, "has paid") });
    const key = await post("/api/keys", { name: nameOf(id, "key"), account: id, models: ["*"] });
    const keyId = key["id"] as string;
    const requestId = `req_${id}`;
    const { ledger } = running.stores;
    const { lastUsed, requestLog, nowMs } = running.platform;
    const failed = attemptAt("mark-upstream", 1010, { outcome: "failed", detail: "mark-attempt" });
    const logged = endedAt(nowMs(), 502, { accountId: id, keyId, requestedModel: "open-1", detail: "mark-detail", attempts: [failed] });
    await ledger.hold(hold(requestId, 5n, { accountId: id, keyId, model: "open-1" }));
    await ledger.settle(requestId, settlement(parseDollars("1.234567")!, { upstream: "mark-upstream" }));
    requestLog.note(logged);
    lastUsed.noteModel(keyId, "open-1", nowMs());
    lastUsed.noteKey(keyId, nowMs());
    const people = id === OWN_ACCOUNT ? [] : await makePerson(`mark-person-of-${id}`, id);
    return [id, keyId, requestId, logged.requestId, ...people];
  }

  /** A signed-in person with an access token, and all IDs that belong to them. */
  async function makePerson(name: string, account: string): Promise<string[]> {
    const { visitor, id } = await invite(operator, running.url, { email: `${name}@example.test`, name, account });
    const wanted = { name: `${name} token`, scopes: SCOPES, expires_at: "2027-12-01T00:00:00Z" };
    const { body } = await visitor.call("POST", "/api/me/access-tokens", wanted);
    const { data } = (await visitor.call("GET", "/api/me/sessions")).body;
    const view = await visitor.call("POST", "/api/me/views", { name: `${name} view`, page: "/", query: "" });
    const exported = await visitor.call("POST", "/api/exports", { format: "jsonl" });
    return [id, body.id, data[0]!["id"] as string, view.body.id, exported.body.id];
  }

  async function refresh(): Promise<RefreshedCredentials> {
    const { people, sessions, savedViews, exports, accessTokens, keys, hashSecret, signIn, nowMs } = running.platform;
    const who = people.find(member.id)!;
    // Failed sign-ins slow down the member, and all later calls would be too early.
    signIn.throttle.recognize(who.email, "127.0.0.1");
    const change = ownChange("test", { kind: "person", id: who.id }, null, nowMs());
    const begun = Array.from({ length: 3 }, () => beginSession(who, { address: null, userAgent: null }, nowMs()));
    const issued = [SCOPES, SCOPES, KEY_SCOPES].map((scopes) =>
      issueAccessToken(who, { name: "test", scopes, expiresAtMs: nowMs() + 3_600_000 }, hashSecret, nowMs()),
    );
    const wanted = { name: "own", accountId: OWN_ACCOUNT, models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
    const { key, record } = issueKey(wanted, hashSecret, nowMs());
    for (const { session } of begun) await sessions.add(session, change);
    for (const token of issued) await accessTokens.add(token.record, change);
    await keys.add(record, change);
    const view = { id: "view_own", personId: who.id, name: "own view", page: "/", query: "", createdAtMs: nowMs() };
    await savedViews.update(view.id, () => ({ record: view, change }));
    // Each person may have only a few exports.
    for (const { id } of await exports.listOf(who.id)) await exports.remove(id);
    const exported = makeExport({ ownerId: who.id, role: "member", accountId: OWN_ACCOUNT, format: "csv", filters: {} }, nowMs());
    await exports.add(exported);
    await exports.end(exported.id, "done");
    return {
      sessions: begun.map(({ cookie }) => signIn.sessionCookie.set(cookie).split(";")[0]!),
      tokens: issued.map(({ token }) => token.reveal()),
      key: key.reveal(),
      ids: {
        keys: [record.id],
        sessions: begun.map(({ session }) => session.id),
        views: [view.id],
        exports: [exported.id],
        "access-tokens": issued.map((token) => token.record.id),
      },
    };
  }

  // Last uses are written a little later.
  while ((await running.platform.lastUsed.keysUsing("open-1", { sinceMs: 0, accountIds: [] }, undefined, 3)).length < 3)
    await Bun.sleep(10);
  const foreignIds = [...others.flat(), ...colleague, person.id, operatorSessions[0]!["id"] as string];
  return {
    running,
    operator,
    memberId: member.id,
    ownIds: {
      accounts: [OWN_ACCOUNT],
      receipts: [`req_${OWN_ACCOUNT}`],
      requests: [ownRequest!],
      models: ["open-1", "open-2"],
      people: [member.id],
    },
    foreign: {
      ids: [...foreignIds, "hidden-1", "open-mark-used", "upstream-1", "default"],
      // The entry of a grant names its operator, by an ID that gives no access.
      marks: new RegExp(
        ["mark-[\\w-]*", "ada@example.test", ...foreignIds.filter((id) => !/^acct-|^req_/.test(id) && id !== person.id)].join("|"),
        "g",
      ),
    },
    refresh,
    stop: () => running.stop(),
  };
}

function nameOf(account: string, what: string): string {
  return account === OWN_ACCOUNT ? `own ${what}` : `mark-${account} ${what}`;
}

/** Models of another account that match the model list of the member's account: available, and retired. */
async function makeRestricted(post: Post): Promise<void> {
  const routes = [{ upstream: "mark-upstream", model: "m" }];
  for (const id of ["open-mark-used", "open-mark-retired"]) await post("/api/models", { id, routes, free: true, accounts: ["acct-b"] });
  await post("/api/models/open-mark-retired/deprecate", { shutdown_date: "2027-06-01", replacement: "open-1" });
  await post("/api/models/open-mark-retired/retire", {});
}

type Post = (path: string, body: object) => Promise<object>;

/** Models that every account may call, models that the member's account may not call, and their upstreams. */
async function makeCatalog(post: Post): Promise<void> {
  for (const id of ["mark-upstream", "upstream-1"]) {
    await post("/api/upstreams", {
      id,
      dialect: "openai",
      base_url: `https://mark-${id}.example/v1`,
      credential: `mark-credential-of-${id}`,
    });
  }
  const price = { input_per_million: 1, output_per_million: 2 };
  for (const id of ["open-1", "open-2", "hidden-1", "mark-hidden"]) {
    const ownedBy = id.startsWith("open") ? "us" : "mark-owner";
    await post("/api/models", { id, owned_by: ownedBy, routes: [{ upstream: "mark-upstream", model: `mark-served-${id}` }], price });
  }
  for (const id of ["mark-hidden", "open-2"]) {
    await post(`/api/models/${id}/deprecate`, { shutdown_date: "2027-06-01", replacement: "open-1" });
  }
}
