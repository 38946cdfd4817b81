import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

/** A store under test, without claims. */
export interface ClaimStoreFixture {
  readonly store: ClaimStore;
  cleanUp(): Promise<void>;
}

function isClaim(claimed: Claim | ClaimedRequest): claimed is Claim {
  return "release" in claimed;
}

/** Contract tests for every implementation of this port. `share` is the fraction of the runs, for a slow implementation. */
export function claimStoreContract(name: string, open: () => Promise<ClaimStoreFixture>, share = 1): void {
  describe(`${name} implements ClaimStore`, () => {
    let fixture: ClaimStoreFixture;
    let store: ClaimStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    /** Claims a scope that is free. */
    async function claim(scope: string, requestId: string): Promise<Claim> {
      const claimed = await store.claim(scope, `digest of ${requestId}`, requestId);
      if (!isClaim(claimed)) throw new Error(`${scope} is claimed by ${claimed.requestId}`);
      return claimed;
    }

    /** The request in flight that prevents a claim. */
    async function inFlight(scope: string): Promise<ClaimedRequest> {
      const claimed = await store.claim(scope, "another digest", "another request");
      if (isClaim(claimed)) throw new Error(`${scope} was free`);
      return claimed;
    }

    test("returns the request in flight, with its digest, until it is released", async () => {
      expect(await store.find("s")).toBeUndefined();
      const first = await claim("s", "r1");
      for (const found of [await inFlight("s"), await store.find("s")]) {
        expect(found).toMatchObject({ digest: "digest of r1", requestId: "r1" });
      }
      await first.release();
      expect(await store.find("s")).toBeUndefined();
      await claim("s", "r2");
      expect(await inFlight("s")).toMatchObject({ requestId: "r2" });
    });

    test("every waiting request is woken by the release, and not before", async () => {
      const first = await claim("s", "r1");
      const woken: number[] = [];
      const found = [await inFlight("s"), await inFlight("s"), (await store.find("s"))!];
      const waiting = found.map(({ released }, at) => released.then(() => woken.push(at)));
      await (await claim("another scope", "r2")).release();
      expect(woken).toEqual([]);
      await first.release();
      await Promise.all(waiting);
      expect(new Set(woken)).toEqual(new Set([0, 1, 2]));
    });

    test("scopes are independent", async () => {
      const claims = [await claim("a", "r1"), await claim("b", "r2"), await claim("a:b", "r3")];
      await claims[0]!.release();
      await claim("a", "r4");
      expect((await inFlight("b")).requestId).toBe("r2");
      expect((await inFlight("a:b")).requestId).toBe("r3");
    });

    test("a second release does not end the claim of the next request", async () => {
      const first = await claim("s", "r1");
      await first.release();
      const second = await claim("s", "r2");
      await first.release();
      const { requestId, released } = await inFlight("s");
      expect(requestId).toBe("r2");
      await second.release();
      await released;
    });

    test("of concurrent claims exactly one succeeds, and the others find it", async () => {
      const claimed = await Promise.all(Array.from({ length: 20 }, (_, at) => store.claim("s", "d", `r${at}`)));
      const winner = claimed.findIndex(isClaim);
      const others = claimed.filter((each): each is ClaimedRequest => !isClaim(each));
      expect(others.map(({ requestId }) => requestId)).toEqual(Array.from({ length: 19 }, () => `r${winner}`));
    });

    test("serves all requests of a scope, one at a time, in whatever order they arrive and end", async () => {
      let run = 0;
      const exclusive = fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(1), { minLength: 2, maxLength: 8 }), async (schedule, scopes) => {
        run++;
        const served = new Map<string, number>();
        const serve = async (scope: string, requestId: string): Promise<void> => {
          await schedule.schedule(Promise.resolve(), `${requestId} arrives`);
          for (;;) {
            const claimed = await store.claim(scope, "d", requestId);
            if (!isClaim(claimed)) {
              await claimed.released;
              continue;
            }
            served.set(scope, (served.get(scope) ?? 0) + 1);
            expect(served.get(scope)).toBe(1);
            await schedule.schedule(Promise.resolve(), `${requestId} ends`);
            served.set(scope, 0);
            return claimed.release();
          }
        };
        const requests = scopes.map((scope, at) => serve(`${run}:${scope}`, `r${at}`));
        await schedule.waitFor(Promise.all(requests));
        for (const scope of new Set(scopes)) expect(await store.find(`${run}:${scope}`)).toBeUndefined();
      });
      await fc.assert(exclusive, runs(300 * share));
    });
  });
}
