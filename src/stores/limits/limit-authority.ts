import type { GrantMessage, LimitStatement, TurnMessage, TurnReply } from "./limit-messages.ts";

/** The authority over rate limits, as a gateway process calls it: the owner process over a unix socket, or a database. */
export interface LimitAuthority {
  /** The time until which slices may be used, by this process's monotonic clock. After that the authority counts them as used up. */
  readonly validUntilMs: number;
  /** Reports the events of one turn of the event loop. If this fails, it is unknown whether the authority has them. */
  count(turn: TurnMessage): Promise<TurnReply>;
}

/** The authority's messages to a process, in this order. */
export interface LimitListener {
  /** Returns the information that an authority needs after it has lost everything. The process gives up its slices with it. */
  statement(): LimitStatement;
  /** The authority has the statement. */
  connected(): void;
  disconnected(): void;
  granted(grant: GrantMessage): void;
  /** Another process needs the remainder of this slice. */
  recalled(lease: number): void;
}
