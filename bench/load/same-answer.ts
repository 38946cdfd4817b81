interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: string }; readonly finish_reason?: string }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number };
}

/** Compares a response with the original: same bytes, same meaning, or neither. */
export function compareAnswers(body: Buffer, original: Buffer): "identical" | "changed" | "wrong" {
  if (body.equals(original)) return "identical";
  try {
    return essence(body) === essence(original) ? "changed" : "wrong";
  } catch {
    return "wrong";
  }
}

/** The fields that no gateway may change: text and finish reason of every choice, and the token counts. */
function essence(body: Buffer): string {
  const { choices = [], usage } = JSON.parse(body.toString()) as Completion;
  const said = choices.map(({ message, finish_reason: reason }) => [message?.content, reason]);
  return JSON.stringify([said, usage?.prompt_tokens, usage?.completion_tokens]);
}
