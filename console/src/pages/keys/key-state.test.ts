import { expect, test } from "bun:test";
import type { Key } from "../../../../platform-client/types.ts";
import { keyState } from "./key-state.ts";

const NOW = Date.parse("2027-01-10T00:00:00Z");
const key = { active: true, state: "active", archived_at: null, expires_at: null, revoked_at: null } as Key;

test.each([
  ["active", key],
  ["active", { ...key, expires_at: "2027-01-18T00:00:00Z" }],
  ["expires soon", { ...key, expires_at: "2027-01-16T00:00:00Z" }],
  ["expired", { ...key, active: false, state: "expired", expires_at: "2027-01-09T00:00:00Z" }],
  ["revoked", { ...key, active: false, state: "revoked", expires_at: "2027-01-09T00:00:00Z", revoked_at: "2027-01-01T00:00:00Z" }],
  ["paused", { ...key, active: false, state: "paused", paused_at: "2027-01-01T00:00:00Z" }],
  ["archived", { ...key, active: false, state: "paused", archived_at: "2027-01-01T00:00:00Z" }],
  ["account archived", { ...key, active: false }],
] as const)("a key is reported as %s", (state, given) => expect(keyState(given, NOW)).toBe(state));
