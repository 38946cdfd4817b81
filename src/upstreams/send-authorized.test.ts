import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import { CallerGone } from "../lib/async/caller-gone.ts";
import { Cancellation } from "../lib/async/cancellation.ts";
import { DEFAULT_TIMEOUTS } from "../models/timeouts.ts";
import { ApiError } from "../requests/api-error.ts";
import type { Authorization, Authorizer } from "./authorizer.ts";
import { Destination } from "./egress/destination.ts";
import { sendAuthorized, type UnauthorizedRequest } from "./send-authorized.ts";
import { SentCredentials } from "./sent-credentials.ts";

const HOUR = 60 * 60_000;
type CountedAuthorizer = Pick<Authorizer, "authorize">;

const realNow = performance.now.bind(performance);
let passedMs = 0;
const clock = spyOn(performance, "now").mockImplementation(() => realNow() + passedMs);
afterAll(() => clock.mockRestore());

function passHour(): void {
  passedMs += HOUR;
}

let answer: () => Response | Promise<Response>;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() });
afterAll(() => server.stop(true));
afterEach(() => {
  answer = reject;
});
const reject = (): Response => new Response(null, { status: 401 });
answer = reject;

const authorizationWith = (isWorthRetrying: Authorization["isWorthRetrying"]): Authorization => ({
  headers: {},
  isWorthRetrying,
  redactFrom: (text) => text,
});

/** Authorizers that wait forever for credentials: one before the first request, the other after a rejection. They call `onWait`. */
const WAITING: Record<string, (onWait: () => void) => CountedAuthorizer> = {
  credentials: (onWait) => ({ authorize: () => waitFor(onWait) }),
  "other credentials": (onWait) => ({ authorize: () => authorizationWith(() => waitFor(onWait)) }),
};

function waitFor(onWait: () => void): Promise<never> {
  onWait();
  return new Promise(() => undefined);
}

async function failureOf(authorizer: CountedAuthorizer, more: Partial<UnauthorizedRequest>): Promise<unknown> {
  const destination = new Destination({ baseUrl: `http://127.0.0.1:${server.port}`, allowPrivate: true });
  const plain = { destination, path: "/", headers: {}, signal: new Cancellation(), timeouts: DEFAULT_TIMEOUTS, streaming: false };
  const [outcome] = await Promise.allSettled([sendAuthorized({ ...plain, ...more }, authorizer, new SentCredentials())]);
  return outcome.status === "rejected" ? outcome.reason : outcome.value.status;
}

describe.each(Object.entries(WAITING))("a request that waits for %s", (_what, waiting) => {
  test("ends with its caller's disconnect, and with its caller's deadline", async () => {
    for (const reason of [undefined, new ApiError("upstream_timeout", "too late")]) {
      const signal = new Cancellation();
      const failure = await failureOf(
        waiting(() => setTimeout(() => signal.end(reason))),
        { signal },
      );
      expect(failure).toEqual(reason ?? new CallerGone());
    }
  });

  test("ends with the timeouts of its upstream", async () => {
    const timeouts = { ...DEFAULT_TIMEOUTS, totalMs: HOUR, firstByteMs: HOUR / 2 };
    for (const [streaming, ms] of [
      [false, HOUR],
      [true, HOUR / 2],
    ] as const) {
      const failure = await failureOf(waiting(passHour), { timeouts, streaming });
      expect(failure).toMatchObject({ code: "upstream_timeout", detail: `waited ${ms} ms for credentials` });
    }
  });
});

test("a request that is sent again has the time that the first one left", async () => {
  const timeouts = { ...DEFAULT_TIMEOUTS, totalMs: HOUR };
  const authorization = authorizationWith(() => {
    answer = () => new Promise(() => undefined);
    passHour();
    return true;
  });
  const failure = await failureOf({ authorize: () => authorization }, { timeouts });
  expect(failure).toMatchObject({ code: "upstream_timeout", detail: `waited ${HOUR} ms for the whole response` });
});
