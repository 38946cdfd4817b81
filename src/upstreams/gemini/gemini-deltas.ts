import type { Deviation } from "../../models/deviation.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent, ToolCallHead } from "../streams/chunk-writer.ts";
import { GatheredArguments } from "./partial-arguments.ts";

/** A piece of an answer, in the terms of the chat-completions format. */
export type Piece =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "signature"; readonly extraContent: ExtraContent }
  | { readonly kind: "call"; readonly call: CompleteCall };

export type CompleteCall = ToolCallHead & { readonly arguments: string };

/** What tools of Google's own did on the way. The answer itself says what came of it. */
const SILENT = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** Reads the parts of one answer, however many events they are spread over. */
export class PieceReader {
  readonly #report: (deviation: Deviation) => void;
  readonly #ids = new Set<string>();
  #open: { readonly head: ToolCallHead; readonly args: GatheredArguments } | undefined;

  constructor(report: (deviation: Deviation) => void) {
    this.#report = report;
  }

  /** The pieces that these parts come to. */
  take(parts: readonly unknown[]): Piece[] {
    return parts.flatMap((part) => (isObject(part) ? this.#takePart(part) : []));
  }

  /** The call that was still open. Its last part can be missing. */
  end(): Piece[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    if (open.args.isTorn) this.#report("arguments_unparsable");
    return [{ kind: "call", call: { ...open.head, arguments: open.args.toText() } }];
  }

  #takePart(part: Record<string, unknown>): Piece[] {
    const { text, functionCall, thought, thoughtSignature } = part;
    if (isObject(functionCall)) return this.#takeCall(functionCall, thoughtSignature);
    if (typeof text === "string") {
      const said: Piece[] = text === "" ? [] : [{ kind: thought === true ? "reasoning" : "text", text }];
      const extraContent = thought === true ? undefined : toExtraContent(thoughtSignature);
      return extraContent ? [...said, { kind: "signature", extraContent }] : said;
    }
    // Pictures and files among them: the chat-completions format has no field for those.
    if (!SILENT.some((name) => name in part)) this.#report("event_unexpected");
    return [];
  }

  /** A call is named once. What follows without a name is more of it, until a part says no more will. */
  #takeCall(part: Record<string, unknown>, signature: unknown): Piece[] {
    const { name, id, willContinue } = part;
    const isNew = typeof name === "string" && name !== "";
    const before = isNew ? this.end() : [];
    if (isNew) this.#open = { head: this.#headOf(name, id, signature), args: new GatheredArguments() };
    if (!this.#open) {
      this.#report("event_unexpected");
      return before;
    }
    this.#open.args.add(part);
    return willContinue === true ? before : [...before, ...this.end()];
  }

  #headOf(name: string, id: unknown, signature: unknown): ToolCallHead {
    const extraContent = toExtraContent(signature);
    return { id: this.#uniqueId(id), name, ...(extraContent && { extraContent }) };
  }

  /** Its own, where it has one. Results are matched by it, so that no two may be the same. */
  #uniqueId(given: unknown): string {
    const id = typeof given === "string" && given !== "" && !this.#ids.has(given) ? given : `call_${crypto.randomUUID()}`;
    this.#ids.add(id);
    return id;
  }
}

function toExtraContent(signature: unknown): ExtraContent | undefined {
  return typeof signature === "string" && signature !== "" ? { google: { thought_signature: signature } } : undefined;
}
