/**
 * The ways in which an upstream's answer can part from the chat-completions format. What has only one right form is put right on
 * the way; the rest passes and is merely counted, because nobody can know what was meant.
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
  usage_missing: "counted",
  event_unexpected: "counted",
  done_missing: "mended",
} as const satisfies Record<string, "mended" | "counted">;

export type Deviation = keyof typeof DEVIATIONS;

/** How often one model at one upstream has parted from the format, in answers, by the kind. */
export interface DeviationCount {
  readonly upstream: string;
  /** By its public name. */
  readonly model: string;
  readonly counts: Readonly<Partial<Record<Deviation, number>>>;
}
