import { beforeEach, expect, test, describe } from "bun:test";
import { issueKey, type KeyRecord } from "../access/api-key.ts";
import { makeAccount, type Account } from "../access/account.ts";
import type { Exchange } from "../http/endpoint.ts";
import { Secret } from "../lib/secret/secret.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { authorityAway } from "../requests/authority-away.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import type { Gateway } from "./gateway.ts";
import { identify } from "./authentication.ts";
import { AuthorizationCache, GuessThrottle } from "./authentication-state.ts";

/** Keys that another process has created. */

const HASH_SECRET = new Secret("hash");
const wanted = { name: "test", accountId: "acme", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
const { key, record } = issueKey(wanted, HASH_SECRET, 0);

let known: Map<string, KeyRecord>;
let caughtUp: number;
let gateway: Gateway;
let account: Account;

beforeEach(() => {
  known = new Map();
  account = makeAccount("acme", "Acme", 0);
  caughtUp = 0;
  gateway = {
    keys: { find: (id: string) => known.get(id) },
    hashSecret: HASH_SECRET,
    authorizationCache: new AuthorizationCache(),
    lastUsed: { noteKey: () => undefined },
    nowMs: () => 1000,
    accountOf: () => account,
  } as unknown as Gateway;
});

function withCatchUp(catchUp: () => void): Gateway {
  return {
    ...gateway,
    async catchUp() {
      caughtUp++;
      catchUp();
    },
  };
}

async function codeOf(asked: Gateway): Promise<string> {
  const headers = new Headers({ authorization: `Bearer ${key.reveal()}` });
  const exchange = { request: { headers }, notes: new RequestNotes(), markAuthenticated: () => undefined } as unknown as Exchange;
  const [result] = await Promise.allSettled([(async () => identify(exchange, asked))()]);
  return result.status === "fulfilled" ? result.value.id : (result.reason as { code: string }).code;
}

test("a key that is known needs no other process", async () => {
  known.set(record.id, record);
  expect(await codeOf(withCatchUp(() => undefined))).toBe(record.id);
  expect(caughtUp).toBe(0);
});

test("a key that was just created elsewhere is accepted", async () => {
  expect(await codeOf(withCatchUp(() => known.set(record.id, record)))).toBe(record.id);
});

test("a key that is unknown everywhere is rejected", async () => {
  expect(await codeOf(withCatchUp(() => undefined))).toBe("invalid_api_key");
  expect(await codeOf(gateway)).toBe("invalid_api_key");
});

test("a key that was accepted before is rejected from its expiry on", async () => {
  known.set(record.id, { ...record, expiresAtMs: 2000 });
  expect(await codeOf({ ...gateway, nowMs: () => 1999 })).toBe(record.id);
  expect(await codeOf({ ...gateway, nowMs: () => 2000 })).toBe("invalid_api_key");
});

test("a paused key is rejected with a code of its own, and one that was just resumed elsewhere is accepted", async () => {
  known.set(record.id, { ...record, pausedAtMs: 5 });
  expect(await codeOf(gateway)).toBe("api_key_paused");
  expect(await codeOf(withCatchUp(() => known.set(record.id, record)))).toBe(record.id);
});

test("only the holder of the secret learns that a key is paused, and only while it would be valid", async () => {
  known.set(record.id, { ...record, pausedAtMs: 5, hash: new Uint8Array(32) });
  expect(await codeOf(gateway)).toBe("invalid_api_key");
  known.set(record.id, { ...record, pausedAtMs: 5, revokedAtMs: 6 });
  expect(await codeOf(gateway)).toBe("invalid_api_key");
});

test("the keys of an archived account are rejected", async () => {
  known.set(record.id, record);
  account = { ...account, archivedAtMs: 5 };
  expect(await codeOf(gateway)).toBe("api_key_paused");
});

test("where the changes of other processes cannot be read, the gateway does not say that a key is invalid", async () => {
  const away = withCatchUp(() => {
    throw authorityAway("away");
  });
  expect(await codeOf(away)).toBe("overloaded");
});

describe("guess throttle", () => {
  const clock = { nowMs: 0 };

  function isRefused(throttle: GuessThrottle, address: string): boolean {
    try {
      throttle.refuse(address);
      return false;
    } catch {
      return true;
    }
  }

  test("an address may fail 60 times per minute, and no other address is affected", () => {
    const throttle = new GuessThrottle(() => clock.nowMs);
    for (let count = 0; count < 60; count++) {
      expect(isRefused(throttle, "192.0.2.1")).toBe(false);
      throttle.noteFailure("192.0.2.1");
    }
    expect(["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"].map((address) => isRefused(throttle, address))).toEqual([true, true, false]);
    clock.nowMs += 59_999;
    expect(isRefused(throttle, "192.0.2.1")).toBe(true);
    clock.nowMs += 1;
    expect(isRefused(throttle, "192.0.2.1")).toBe(false);
  });

  test("the addresses of an IPv6 network count together, and of the oldest networks nothing is remembered", () => {
    const throttle = new GuessThrottle(() => clock.nowMs);
    for (let host = 1; host <= 60; host++) throttle.noteFailure(`2001:db8::${host.toString(16)}`);
    expect(isRefused(throttle, "2001:db8::ffff")).toBe(true);
    for (let network = 0; network < 10_000; network++) throttle.noteFailure(`10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`);
    expect(isRefused(throttle, "2001:db8::ffff")).toBe(false);
  });
});
