import type { AccessToken } from "../../../src/access/access-token.ts";
import type { KeyRecord } from "../../../src/access/api-key.ts";
import { ownChange } from "../../../src/access/change.ts";
import { makePerson, type Person } from "../../../src/access/person.ts";
import type { Session } from "../../../src/access/session.ts";
import { NO_CAPS, NO_LIMITS } from "../../../src/money/limits.ts";

/** Records for tests with several processes. */

export const CHANGE = ownChange("test", { kind: "config", id: "any" }, null, 1);

export function sampleKey(id = "k"): KeyRecord {
  return {
    id,
    name: id,
    accountId: "acme",
    limits: NO_LIMITS,
    caps: NO_CAPS,
    hash: new TextEncoder().encode(id),
    previous: { hash: new TextEncoder().encode("previous"), worksUntilMs: 99 },
    models: ["*"],
    createdAtMs: 1,
    expiresAtMs: null,
    revokedAtMs: null,
    imported: null,
    pausedAtMs: null,
    archivedAtMs: null,
  };
}

export const PERSON: Person = {
  ...makePerson({ name: "Ada", email: "ada@example.test", role: "member", accountId: "acme", invitation: null }, 1),
  identity: { issuer: "https://provider.test", subject: "1" },
};

export function sampleSession(id: string, createdAtMs = 1): Session {
  const times = { createdAtMs, lastSeenAtMs: createdAtMs };
  return { id, hash: `hash-${id}`, personId: "ada", generation: 1, ...times, address: null, userAgent: null };
}

export const TOKEN: AccessToken = {
  id: "t",
  hash: Buffer.from("hash"),
  personId: "ada",
  generation: 1,
  name: "t",
  scopes: [],
  createdAtMs: 1,
  expiresAtMs: 1000,
  lastUsedAtMs: null,
  revokedAtMs: null,
};
