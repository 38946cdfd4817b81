import { expect, test } from "bun:test";
import { formatPending, hasExpired, parsePending, PENDING_FOR_SECONDS } from "./oidc-pending.ts";

const PENDING = { state: "s".repeat(43), nonce: "-_".repeat(21) + "n", codeVerifier: "v".repeat(43), startedAtMs: 1_760_000_000_000 };

test("a cookie round-trips without quoting", () => {
  expect(formatPending(PENDING)).toMatch(/^[\w.-]+$/);
  expect(parsePending(formatPending(PENDING))).toEqual(PENDING);
});

test("a malformed cookie is not a sign-in", () => {
  const good = formatPending(PENDING);
  for (const bad of [
    "",
    "...",
    `${good} `,
    `${good}\n`,
    good.slice(1),
    good.slice(0, good.lastIndexOf(".") + 1),
    `${good}.1`,
    good.replace("s", "ſ"),
  ]) {
    expect(parsePending(bad)).toBeUndefined();
  }
});

test("a sign-in may take ten minutes", () => {
  const ages = [0, PENDING_FOR_SECONDS - 30, PENDING_FOR_SECONDS + 1];
  const expired = ages.map((seconds) => hasExpired({ ...PENDING, startedAtMs: Date.now() - seconds * 1000 }));
  expect(expired).toEqual([false, false, true]);
});
