import type { Socket } from "node:net";
import type { Dialect } from "../../src/models/upstream-settings.ts";

/** What a hostile upstream was asked. */
export interface Asked {
  readonly stream: boolean;
  /** The request's head, our credential in it. */
  readonly head: string;
}

/** What it does then. */
export type Play = (socket: Socket, asked: Asked) => void | Promise<void>;

/** What the caller must hear of it. */
export type Outcome =
  /** Nothing of an answer came: an error, and no charge. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string }
  /** The answer began and broke off: the text so far, an error frame, and a charge for that text. */
  | { readonly kind: "broken"; readonly code: string; readonly text: string }
  /** It did no harm: the answer, charged by the upstream's count, or by an estimate where that was none. */
  | { readonly kind: "answered"; readonly text: string; readonly isCounted: boolean }
  /** Nobody can say what was meant: a valid answer, or an error of the upstream's. */
  | { readonly kind: "sane" };

export interface HostileCase {
  /** What the upstream does, as a sentence has it: "the upstream sends …". */
  readonly name: string;
  readonly dialect: Exclude<Dialect, "echo">;
  readonly play: Play;
  /** What a caller hears who asked for a JSON answer, and for a stream. Absent where it makes no sense to ask so. */
  readonly json?: Outcome;
  readonly stream?: Outcome;
  /** It is the clock that ends it: the upstream gets short timeouts. All others have more time than they need. */
  readonly isSlow?: boolean;
  /** It is about memory: it is tried alone, and the gateway's memory is measured meanwhile. */
  readonly isHuge?: boolean;
}

export const refused = (status: number, code: string): Outcome => ({ kind: "refused", status, code });
export const broken = (text: string, code = "upstream_error"): Outcome => ({ kind: "broken", code, text });
export const answered = (text = "Hello world"): Outcome => ({ kind: "answered", text, isCounted: true });
export const answeredUncounted = (text = "Hello world"): Outcome => ({ kind: "answered", text, isCounted: false });

export const FAILED = refused(502, "upstream_error");
export const TOO_SLOW = refused(504, "upstream_timeout");
export const BUSY = refused(503, "overloaded");
export const SANE: Outcome = { kind: "sane" };

/** What is the same whether a JSON answer was asked for or a stream. */
export const both = (outcome: Outcome): Pick<HostileCase, "json" | "stream"> => ({ json: outcome, stream: outcome });

type Table = Readonly<Record<string, Omit<HostileCase, "name" | "dialect">>>;

/** Cases of the chat-completions format, by name. */
export function openaiCases(table: Table): HostileCase[] {
  return Object.entries(table).map(([name, rest]) => ({ name, dialect: "openai", ...rest }));
}
