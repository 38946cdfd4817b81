import { LinkedServices } from "../../../test/support/linked-services.ts";
import { LimitService } from "./limit-service.ts";
import { limitStoreContract } from "./limit-store.contract.ts";
import type { LimitStore } from "./limit-store.ts";
import { MemoryLimitStore } from "./memory-limit-store.ts";
import { SharedLimitStore } from "./shared-limit-store.ts";

/** The owner's clock is that of the test: processes send no times. */
limitStoreContract("SharedLimitStore", async () => {
  let nowMs = 0;
  const monotonicMs = (): number => nowMs;
  const link = new LinkedServices(new LimitService(new MemoryLimitStore(), monotonicMs));
  const shared = await link.start("p1", (owner) => new SharedLimitStore(owner, monotonicMs));
  const store: LimitStore = {
    take: (scopes, tokens, atMs) => {
      nowMs = atMs;
      return shared.take(scopes, tokens);
    },
    refusalOf: (scopes, tokens, atMs) => {
      nowMs = atMs;
      return shared.refusalOf(scopes, tokens);
    },
    state: (...asked) => shared.state(...asked),
  };
  return { store, cleanUp: () => link.idle() };
});
