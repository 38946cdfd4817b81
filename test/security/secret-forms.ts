/** The shortest piece of a secret that is searched for: text is truncated in logs, and half of a secret must not leak. */
const PIECE = 20;

/**
 * The forms in which a secret may leak: unchanged, in part, and in every encoding used on the way. `publicPart` is its prefix, which may be
 * shown.
 */
export function formsOf(secret: string, publicPart = ""): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [
    secret,
    ...piecesOf(secret.slice(publicPart.length)),
    ...base64FormsOf(bytes),
    // The encoding of OAuth.
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

/** The pieces overlap, so that any part of one and a half times the length contains a complete piece. */
function piecesOf(secret: string): string[] {
  const starts = Array.from({ length: Math.floor((secret.length - PIECE) / (PIECE / 2)) + 1 }, (_, at) => (at * PIECE) / 2);
  return secret.length < PIECE ? [] : starts.map((start) => secret.slice(start, start + PIECE));
}

/**
 * Inside other text, a secret starts at one of three positions in a group of four, and the characters at its ends depend on the adjacent
 * text.
 */
function base64FormsOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const whole = encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
