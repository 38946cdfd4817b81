import { expect, test } from "bun:test";
import { remoteAt } from "../models/declared-upstream.ts";
import type { IdentityState } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { IdentityLog } from "./identity-log.ts";

const IDENTITY = { kind: "google", credentials: undefined, credentialsFile: undefined, project: undefined, location: undefined } as const;
const UPSTREAM = { ...remoteAt("u", undefined, { baseUrl: "https://u.example/v1", allowPrivate: false }, []), identity: IDENTITY };

test("logs a failure once, and the recovery once", () => {
  const lines: unknown[] = [];
  let identity: IdentityState = { source: undefined, expiresAtMs: undefined, failure: undefined, refreshFailures: 0, clockSkewMs: 0 };
  const log = new IdentityLog({
    upstreams: () =>
      new Map<string, UpstreamSettings>([
        ["u", UPSTREAM],
        ["e", { id: "e", dialect: "echo" }],
      ]),
    healthOf: () => ({ inFlight: 0, queued: 0, models: [], credentials: [], identity }),
    log: { write: ({ level = "info", event, message }) => void lines.push([level, event, message]) },
  });
  log.check();
  identity = { ...identity, failure: "no file" };
  log.check();
  identity = { ...identity, failure: "no file either" };
  log.check();
  identity = { ...identity, failure: undefined, source: "a file" };
  log.check();
  log.check();
  expect(lines).toEqual([
    ["warn", "identity_failed", "the credentials of the identity of the upstream u cannot be obtained: no file"],
    ["info", "identity_restored", "the credentials of the identity of the upstream u were obtained again"],
  ]);
});
