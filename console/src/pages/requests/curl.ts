interface Asking {
  /** The base address of the gateway, which ends in `/v1`. */
  readonly gatewayUrl: string;
  /** What was asked, where that is kept and was looked at. */
  readonly body: string | null;
  readonly model: string | null;
  readonly isStream: boolean;
}

/**
 * A command that asks the same again. Model names and prompts are what strangers wrote: in the shell of whoever pastes the command they
 * must stay text.
 */
export function toCurl({ gatewayUrl, body, model, isStream }: Asking): string {
  const data = body !== null && isJson(body) ? body : bodyFor(model, isStream);
  return [
    `curl ${quote(`${gatewayUrl}/chat/completions`)}`,
    `-H "Authorization: Bearer $TOLLGATE_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d ${quote(inSight(data))}`,
  ].join(" \\\n  ");
}

/** Of a body that was not kept, what is known of it. */
function bodyFor(model: string | null, isStream: boolean): string {
  const messages = [{ role: "user", content: "Hello" }];
  return JSON.stringify({ model: model ?? "", messages, ...(isStream && { stream: true }) }, null, 2);
}

/** One that was cut when it was kept is not. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** In single quotes nothing is special to a shell but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Controls, which a terminal could obey when this is pasted (U+009B begins a command to it), and what changes the direction of text or
 * cannot be seen. In JSON they stand in strings alone, where their number means the same.
 */
function inSight(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (hidden) => `\\u${hidden.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}
