import type { Deviation } from "../../models/deviation.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent, ToolCallHead } from "../streams/chunk-writer.ts";
import { PartialArguments } from "./partial-arguments.ts";

/** Part of a response, in the terms of the chat-completions format. */
export type Delta =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "signature"; readonly extraContent: ExtraContent }
  | { readonly kind: "call"; readonly call: CompleteCall };

export type CompleteCall = ToolCallHead & { readonly arguments: string };

/** Parts of Google's server-side tools. Their results are in the text. */
const IGNORED_PARTS = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** Translates the parts of one response, across all of its events. */
export class DeltaReader {
  readonly #report: (deviation: Deviation) => void;
  readonly #ids = new Set<string>();
  #open: { readonly head: ToolCallHead; readonly args: PartialArguments } | undefined;

  constructor(report: (deviation: Deviation) => void) {
    this.#report = report;
  }

  take(parts: readonly unknown[]): Delta[] {
    return parts.flatMap((part) => (isObject(part) ? this.#takePart(part) : []));
  }

  /** Closes the open call, if any: its last part can be missing. */
  end(): Delta[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    if (open.args.isMalformed) this.#report("arguments_unparsable");
    return [{ kind: "call", call: { ...open.head, arguments: open.args.toText() } }];
  }

  #takePart(part: Record<string, unknown>): Delta[] {
    const { text, functionCall, thought, thoughtSignature } = part;
    if (isObject(functionCall)) return this.#takeCall(functionCall, thoughtSignature);
    if (typeof text === "string") {
      const deltas: Delta[] = text === "" ? [] : [{ kind: thought === true ? "reasoning" : "text", text }];
      const extraContent = thought === true ? undefined : toExtraContent(thoughtSignature);
      return extraContent ? [...deltas, { kind: "signature", extraContent }] : deltas;
    }
    // Images and files among them, for which the chat-completions format has no field.
    if (!IGNORED_PARTS.some((name) => name in part)) this.#report("event_unexpected");
    return [];
  }

  /** A part with a name opens a call. Parts without a name continue it, until one has `willContinue` unset. */
  #takeCall(part: Record<string, unknown>, signature: unknown): Delta[] {
    const { name, id, willContinue } = part;
    const isNew = typeof name === "string" && name !== "";
    const before = isNew ? this.end() : [];
    if (isNew) this.#open = { head: this.#headOf(name, id, signature), args: new PartialArguments() };
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

  /** The call's own id if it is unique, because results are matched by id; otherwise a generated one. */
  #uniqueId(given: unknown): string {
    const id = typeof given === "string" && given !== "" && !this.#ids.has(given) ? given : `call_${crypto.randomUUID()}`;
    this.#ids.add(id);
    return id;
  }
}

function toExtraContent(signature: unknown): ExtraContent | undefined {
  return typeof signature === "string" && signature !== "" ? { google: { thought_signature: signature } } : undefined;
}
