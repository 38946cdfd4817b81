import { describe } from "bun:test";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { CHANGE, PERSON, sampleKey, sampleSession, TOKEN } from "../../../test/support/postgres/sample-records.ts";
import { TwoProcesses, type PlatformStores } from "../../../test/support/postgres/two-processes.ts";
import type { AccessToken } from "../../access/access-token.ts";
import { makeAccount, type Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { disabled, type Person } from "../../access/person.ts";
import type { Session } from "../../access/session.ts";
import type { Webhook } from "../../alerts/webhook.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import { type UpstreamSettings } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import { webhook } from "../alerts/webhook-store.contract.ts";
import { announce, declaredModel, putModel, putUpstream, upstream } from "../catalog/catalog-examples.contract.ts";
import { removalContract, updateContract } from "../update.contract.ts";

const WEBHOOK = webhook();
const UPSTREAM = upstream("v", undefined, "sk-credential");
const ACCOUNT = makeAccount("acme", "Acme", 1);

/** Runs the contract tests of changes, alternating between two processes for each change. */
describe.skipIf(!hasPostgres)("two processes on PostgreSQL change", () => {
  const processes = new TwoProcesses();

  interface RecordCases<T> {
    readonly id: string;
    readonly record: T;
    readonly add: (stores: PlatformStores) => Promise<unknown>;
    readonly find: (stores: PlatformStores, id: string) => T | undefined;
  }

  const through = <T>({ id, record, add, find }: RecordCases<T>) => ({
    id,
    record,
    add: () => processes.inTurn(add),
    find: (wanted: string) => find(processes.first, wanted),
    findAfterRestart: async (wanted: string) => find(await processes.restart(), wanted),
    auditLog: () => processes.first.auditLog,
  });

  updateContract<KeyRecord>("keys", () => ({
    ...through({
      id: "k",
      record: sampleKey(),
      add: ({ keys }) => keys.add(sampleKey(), CHANGE),
      find: ({ keys }, id) => keys.find(id),
    }),
    update: (id, make) => processes.inTurn(({ keys }) => keys.update(id, make)),
    first: (key) => ({ ...key, name: "b" }),
    second: (key) => ({ ...key, models: ["b"] }),
  }));

  updateContract<Account>("accounts", () => ({
    ...through({
      id: ACCOUNT.id,
      record: ACCOUNT,
      add: ({ accounts }) => accounts.update(ACCOUNT.id, () => ({ record: ACCOUNT, change: CHANGE })),
      find: ({ accounts }, id) => accounts.find(id),
    }),
    update: (id, make) => processes.inTurn(({ accounts }) => accounts.update(id, make)),
    first: (account) => ({ ...account, name: "b" }),
    second: (account) => ({ ...account, models: ["b"] }),
  }));

  updateContract<Person>("people", () => ({
    ...through({
      id: PERSON.id,
      record: PERSON,
      add: ({ people }) => people.update(PERSON.id, () => ({ record: PERSON, change: CHANGE })),
      find: ({ people }, id) => people.find(id),
    }),
    update: (id, make) => processes.inTurn(({ people }) => people.update(id, make)),
    first: (person) => ({ ...person, name: "b" }),
    second: (person) => disabled(person, 50),
  }));

  updateContract<AccessToken>("access tokens", () => ({
    ...through({
      id: TOKEN.id,
      record: TOKEN,
      add: ({ accessTokens }) => accessTokens.add(TOKEN, CHANGE),
      find: ({ accessTokens }, id) => accessTokens.find(id),
    }),
    update: (id, make) => processes.inTurn(({ accessTokens }) => accessTokens.revoke(id, make)),
    first: (token) => ({ ...token, revokedAtMs: Math.min(token.revokedAtMs ?? 50, 50) }),
    second: (token) => ({ ...token, revokedAtMs: Math.min(token.revokedAtMs ?? 60, 60) }),
  }));

  removalContract<Session>("sessions", () => ({
    ...through({
      id: "hash-a",
      record: sampleSession("a"),
      add: ({ sessions }) => sessions.add(sampleSession("a"), CHANGE),
      find: ({ sessions }, hash) => sessions.find(hash),
    }),
    remove: (hash, make) => processes.inTurn(({ sessions }) => sessions.end(hash, make)),
  }));

  updateContract<DeclaredModel>("models", () => ({
    ...through({
      id: "m",
      record: declaredModel("m"),
      async add({ catalog }) {
        await putUpstream(catalog, upstream("u"), CHANGE);
        await putModel(catalog, declaredModel("m"), announce("m"), CHANGE);
      },
      find: ({ catalog }, id) => catalog.declaredModel(id),
    }),
    update: (id, make) => processes.inTurn(({ catalog }) => catalog.updateModel(id, make)),
    first: (model) => ({ ...model, context_window: 7 }),
    second: (model) => ({ ...model, owned_by: "b" }),
  }));

  const ofUpstream = through<UpstreamSettings>({
    id: UPSTREAM.id,
    record: UPSTREAM,
    add: ({ catalog }) => putUpstream(catalog, UPSTREAM, CHANGE),
    find: ({ catalog }, id) => catalog.upstreams().get(id),
  });
  updateContract<UpstreamSettings>("upstreams", () => ({
    ...ofUpstream,
    update: (id, make) => processes.inTurn(({ catalog }) => catalog.updateUpstream(id, make)),
    first: (settings) => ({ ...settings, allowPrivate: true }),
    second: (settings) => ({ ...settings, timeouts: DEFAULT_TIMEOUTS }),
  }));
  removalContract<UpstreamSettings>("upstreams by removing them", () => ({
    ...ofUpstream,
    remove: (id, make) => processes.inTurn(({ catalog }) => catalog.removeUpstream(id, make)),
  }));

  const ofWebhook = through<Webhook>({
    id: WEBHOOK.id,
    record: WEBHOOK,
    add: ({ webhooks }) => webhooks.update(WEBHOOK.id, () => ({ record: WEBHOOK, change: CHANGE })),
    find: ({ webhooks }, id) => webhooks.find(id),
  });
  updateContract<Webhook>("webhooks", () => ({
    ...ofWebhook,
    update: (id, make) => processes.inTurn(({ webhooks }) => webhooks.update(id, make)),
    first: (current) => ({ ...current, name: "b" }),
    second: (current) => ({ ...current, paused: "so" }),
  }));
  removalContract<Webhook>("webhooks by removing them", () => ({
    ...ofWebhook,
    remove: (id, make) => processes.inTurn(({ webhooks }) => webhooks.remove(id, make)),
  }));
});
