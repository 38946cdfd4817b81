import type { GrantMessage, LimitStatement, TurnMessage, TurnReply } from "./limit-messages.ts";

/** The authority over rate limits, as a gateway process calls it: the owner process over a unix socket, or a database. */
export interface LimitAuthority {
  /** Until when slices may be used, by this process's monotonic clock. After that the authority counts them as used up. */
  readonly validUntilMs: number;
  /** What has happened in a turn of the event loop. Where it fails, whether the authority has it is unknown. */
  count(turn: TurnMessage): Promise<TurnReply>;
}

/** What the authority tells a process, in this order. */
export interface LimitListener {
  /** What an authority has to know that has lost everything. The process gives up its slices with it. */
  statement(): LimitStatement;
  /** The authority has the statement. */
  connected(): void;
  disconnected(): void;
  granted(grant: GrantMessage): void;
  /** Another process needs what is left of this slice. */
  recalled(lease: number): void;
}
