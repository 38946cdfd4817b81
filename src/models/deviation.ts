/**
 * Format deviations: the ways in which an upstream's response can differ from the chat-completions format. Unambiguous ones are
 * repaired; the rest are passed on and counted, because the intended meaning is unknown.
 */
export const DEVIATIONS = {
  id_missing: "mended",
  id_changed: "mended",
  created_malformed: "mended",
  created_changed: "mended",
  object_wrong: "mended",
  error_null: "mended",
  choices_missing: "mended",
  choices_empty: "mended",
  index_missing: "mended",
  delta_missing: "mended",
  role_missing: "mended",
  role_repeated: "mended",
  message_malformed: "mended",
  content_missing: "mended",
  content_in_parts: "mended",
  reasoning_renamed: "mended",
  tool_index_wrong: "mended",
  tool_id_missing: "mended",
  tool_type_missing: "mended",
  tool_function_missing: "mended",
  tool_name_missing: "counted",
  tool_head_repeated: "mended",
  arguments_not_text: "mended",
  arguments_empty: "mended",
  arguments_unparsable: "counted",
  finish_reason_missing: "mended",
  finish_reason_renamed: "mended",
  finish_reason_unknown: "mended",
  finish_reason_wrong: "mended",
  finish_reason_repeated: "mended",
  text_after_finish: "counted",
  usage_malformed: "mended",
  usage_misplaced: "mended",
  usage_repeated: "mended",
  usage_per_choice: "mended",
  usage_implausible: "mended",
  usage_unpriced: "counted",
  usage_missing: "counted",
  event_unexpected: "counted",
  done_missing: "mended",
  reasoning_rejected: "mended",
  embedding_encoding: "mended",
} as const satisfies Record<string, "mended" | "counted">;

export type Deviation = keyof typeof DEVIATIONS;

/** The number of responses with each format deviation, for one model at one upstream. */
export interface DeviationCount {
  readonly upstream: string;
  /** The public ID of the model. */
  readonly model: string;
  readonly counts: Readonly<Partial<Record<Deviation, number>>>;
}
