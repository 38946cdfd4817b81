import { claimStoreContract } from "./claim-store.contract.ts";
import { MemoryClaimStore } from "./memory-claim-store.ts";

claimStoreContract("MemoryClaimStore", async () => ({ store: new MemoryClaimStore(), cleanUp: async () => undefined }));
