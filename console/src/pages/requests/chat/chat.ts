import type { Fields } from "../../../platform/json.ts";

/** The parts of a logged message never change, so the position is a stable key. */
export type Part =
  | { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }
  | { readonly kind: "image"; readonly url: string }
  | { readonly kind: "attachment"; readonly name: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** A part of an unknown type, as JSON. */
  | { readonly kind: "other"; readonly json: string };

export interface ChatMessage {
  /** Such as `user`, or `Result of get_weather`. */
  readonly title: string;
  readonly parts: readonly Part[];
  /** Why the model stopped; only for responses. */
  readonly finishReason?: string;
}

/** A logged request, or the readable start of a truncated one. */
export interface LoggedChat {
  readonly messages: readonly ChatMessage[];
  /** All fields except for the messages. */
  readonly parameters: Fields;
}
