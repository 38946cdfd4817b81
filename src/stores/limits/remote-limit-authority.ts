import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import type { LimitAuthority } from "./limit-authority.ts";
import type { TurnReply } from "./limit-messages.ts";

/** The owner process as the authority. It counts slices until their process has ended. */
export function remoteLimitAuthority(owner: Pick<IpcPeer, "call">): LimitAuthority {
  return { validUntilMs: Infinity, count: async (turn) => (await owner.call("limits.count", turn)) as TurnReply };
}
