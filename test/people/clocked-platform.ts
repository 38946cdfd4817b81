import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../src/http/serve.ts";
import { platformEndpoints } from "../../src/platform/app.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { welcomeUrl } from "../../src/platform/endpoints/people.ts";
import { Passwords } from "../../src/platform/sign-in/passwords.ts";
import { prepareSignIn } from "../../src/platform/sign-in/sign-in.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { NO_PROCESSES } from "../support/gateway/sample-processes.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { UNBOUNDED } from "../support/http/unbounded-listener.ts";
import { idlePlatform } from "../support/gateway/platform-in-process.ts";

/** The platform with a clock that is controlled by the test. Password hashing costs nothing and is counted. */
export interface ClockedPlatform {
  readonly url: string;
  readonly stores: Stores;
  readonly platform: Platform;
  readonly operatorToken: string;
  /** `nowMs` is the elapsed time. Setting the system clock changes `systemAheadMs`. */
  readonly clock: { nowMs: number; systemAheadMs: number };
  readonly folder: string;
  /** The number of password hashes, and a callback during each, because real hashing takes a while. */
  readonly work: { hashed: number; verified: number; meanwhile: () => Promise<unknown> };
  makeFirstLink(): string;
  stop(): Promise<void>;
}

export async function startClockedPlatform(): Promise<ClockedPlatform> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-people-"));
  const clock = { nowMs: Date.UTC(2027, 0, 1), systemAheadMs: 0 };
  const nowMs = (): number => clock.nowMs + clock.systemAheadMs;
  const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder, nowMs, requestLog });
  const work: ClockedPlatform["work"] = { hashed: 0, verified: 0, meanwhile: () => Promise.resolve() };
  const signIn = { ...prepareSignIn(undefined, undefined), passwords: countedPasswords(work) };
  const operatorToken = "operator-token-of-the-test";
  const platform: Platform = {
    ...idlePlatform(),
    ...stores,
    signIn,
    publicUrl: () => listener.url,
    processes: NO_PROCESSES,
    listPrices: { tierBounds: () => [], find: () => [] },
    hashSecret: new Secret("hash secret"),
    operatorToken: new Secret(operatorToken),
    nowMs,
    monotonicMs: () => clock.nowMs,
  };
  const listener = serve({
    name: "platform",
    ...UNBOUNDED,
    endpoints: platformEndpoints(platform),
    observers: [],
    reportFailure(thrown) {
      throw thrown;
    },
    openToBrowsers: false,
    errorFormat: "problem-details",
  });
  return {
    url: listener.url,
    stores,
    platform,
    operatorToken,
    clock,
    folder,
    work,
    makeFirstLink: () => welcomeUrl(listener.url, signIn.setupLink.make(clock.nowMs).reveal()),
    async stop() {
      await listener.close();
      await stores.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Password hashing without delay, but with the same result. */
function countedPasswords(work: ClockedPlatform["work"]): Passwords {
  return new Passwords({
    hash: async (password) => {
      work.hashed++;
      await work.meanwhile();
      return `hash of ${password as string}`;
    },
    verify: async (password, hash) => {
      work.verified++;
      await work.meanwhile();
      return hash === `hash of ${password as string}`;
    },
  });
}
