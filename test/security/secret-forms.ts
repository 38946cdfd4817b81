/** The least of a secret that is looked for by itself: text is cut short in logs, and half of a secret is too much. */
const PIECE = 20;

/**
 * How a secret may look where it does not belong: as it is, in part, and as every encoding on the way would write it.
 * `publicPart` is its beginning, which may be shown.
 */
export function formsOf(secret: string, publicPart = ""): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    ...piecesOf(secret.slice(publicPart.length)),
    ...base64FormsOf(bytes),
    // As OAuth has it.
    ...base64FormsOf(Buffer.from(encodeURIComponent(secret))),
    hex,
    hex.toUpperCase(),
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    hex.replaceAll(/../g, "%$&"),
    hex.toUpperCase().replaceAll(/../g, "%$&"),
    escaped,
    escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"'),
    charactersOf(secret)
      .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
    Bun.escapeHTML(secret),
    charactersOf(secret)
      .map((character) => `&#${character.codePointAt(0)!};`)
      .join(""),
    charactersOf(secret).toReversed().join(""),
  ];
  return [...new Set(forms)];
}

function charactersOf(text: string): string[] {
  return Array.from(text);
}

/** Overlapping, so that any stretch of one and a half holds a whole one. */
function piecesOf(secret: string): string[] {
  const starts = Array.from({ length: Math.floor((secret.length - PIECE) / (PIECE / 2)) + 1 }, (_, at) => (at * PIECE) / 2);
  return secret.length < PIECE ? [] : starts.map((start) => secret.slice(start, start + PIECE));
}

/** Within other text it begins at one of three places in a group of four, and its ends run into what is beside it. */
function base64FormsOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const whole = encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
