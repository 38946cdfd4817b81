import { expect, test } from "bun:test";
import { Credential } from "./cool-down.ts";

function credentialWithClock(): { credential: Credential; clock: { nowMs: number } } {
  const clock = { nowMs: 500 };
  return { clock, credential: new Credential(undefined, () => clock.nowMs) };
}

test("a credential that has had its share is left alone for as long as the upstream says, or 5 s", () => {
  const { credential, clock } = credentialWithClock();
  expect(credential.coolForMs).toBe(0);
  credential.heed({ kind: "busy" });
  expect(credential.coolForMs).toBe(5000);
  credential.heed({ kind: "busy", retryAfterMs: 20_000 });
  expect(credential.coolForMs).toBe(20_000);
  expect(credential.reason).toBe("busy");
  clock.nowMs += 20_000;
  expect(credential.coolForMs).toBe(0);
  expect(credential.reason).toBeUndefined();
});

test("one that was refused is left alone for a minute, and nobody is believed who asks for more than ten", () => {
  const { credential } = credentialWithClock();
  credential.heed({ kind: "credential" });
  expect(credential.coolForMs).toBe(60_000);
  expect(credential.reason).toBe("credential");
  credential.heed({ kind: "busy", retryAfterMs: 86_400_000 });
  expect(credential.coolForMs).toBe(600_000);
});

test("a shorter wait neither shortens a longer one nor takes its reason", () => {
  const { credential } = credentialWithClock();
  credential.heed({ kind: "credential" });
  credential.heed({ kind: "busy", retryAfterMs: 1000 });
  expect(credential.coolForMs).toBe(60_000);
  expect(credential.reason).toBe("credential");
});

test("what the upstream does wrong is not its credential's fault", () => {
  const { credential } = credentialWithClock();
  for (const kind of ["unreachable", "failed", "slow", "broken"] as const) credential.heed({ kind, retryAfterMs: 1000 });
  expect(credential.coolForMs).toBe(0);
});
