import { expect, test } from "bun:test";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import { plainModel } from "../../models/catalog.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { IdentityState } from "../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { checkIdentityFailure, isOfRemovedIdentity } from "./identity-failure.ts";

const NOW_MS = Date.parse("2027-01-31T12:00:00Z");
const MINUTE_MS = 60_000;
const REMOTE = remoteAt("u", undefined, { baseUrl: "https://u.example/v1", allowPrivate: false }, []);
const IDENTITY = { kind: "google", credentials: undefined, credentialsFile: undefined, project: undefined, location: undefined } as const;
const UNUSED: IdentityState = { source: undefined, expiresAtMs: undefined, failure: undefined, refreshFailures: 0, clockSkewMs: 0 };
const NAMES = { upstream: "u", cloud: "google", models: ["m"] };

const marks = new Map<string, Mark>();

function check(identity: Partial<IdentityState>): unknown[] {
  const routes = {
    upstreams: new Map<string, UpstreamSettings>([["u", { ...REMOTE, identity: IDENTITY }]]),
    catalog: new Map([["m", plainModel("m", { upstream: "u", upstreamModel: "their m" })]]),
    healthOf: () => ({ inFlight: 0, queued: 0, credentials: [], models: [], identity: { ...UNUSED, ...identity } }),
  };
  return checkIdentityFailure(routes, marks, NOW_MS).flatMap(({ subject, mark, alert }) => {
    if (mark) marks.set(subject, mark);
    else marks.delete(subject);
    return alert ? [[alert.kind, alert.data]] : [];
  });
}

test("alerts once when there are no credentials, and once when there are again", () => {
  const failure = "169.254.169.254 cannot be reached";
  expect([check({}), check({ source: "a file" })]).toEqual([[], []]);
  expect(check({ failure })).toEqual([["upstream.identity_failed", { ...NAMES, failure, expires_at: null }]]);
  // After a restart, nothing is known about the identity.
  expect([check({ failure: "another" }), check({})]).toEqual([[], []]);
  expect(check({ source: "a file" })).toEqual([["upstream.identity_restored", NAMES]]);
  expect([check({ source: "a file" }), marks.size]).toEqual([[], 0]);
});

const failing = (minutes: number): unknown[] => check({ source: "a file", failure: "no", expiresAtMs: NOW_MS + minutes * MINUTE_MS });

test("alerts before credentials expire that cannot be refreshed, and not long before", () => {
  expect(failing(6)).toEqual([]);
  expect(failing(4)).toEqual([["upstream.identity_failed", { ...NAMES, failure: "no", expires_at: "2027-01-31T12:04:00.000Z" }]]);
  expect(failing(-1)).toEqual([]);
});

test("the mark of an identity is gone with it", () => {
  const [subject] = marks.keys();
  const isGone = (...all: UpstreamSettings[]): boolean => isOfRemovedIdentity(subject!, new Map(all.map((each) => [each.id, each])));
  expect([isGone(), isGone(REMOTE), isGone({ ...REMOTE, identity: IDENTITY })]).toEqual([true, true, false]);
  expect(isOfRemovedIdentity("route u m", new Map())).toBe(false);
});
