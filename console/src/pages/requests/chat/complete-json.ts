/** Parses JSON, or the start of a truncated one: its last string ends with an ellipsis, an incomplete field is dropped. Undefined for other text. */
export function parseStart(text: string): unknown {
  return parse(text) ?? parseCut(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseCut(text: string): unknown {
  const { closers, isInString, before } = scan(text);
  const end = isInString ? `${withoutCutEscape(text)}…"` : text;
  return parse(end + closers) ?? parse(text.slice(0, before) + scan(text.slice(0, before)).closers);
}

interface Scan {
  /** The brackets that are missing at the end. */
  readonly closers: string;
  readonly isInString: boolean;
  /** Everything before this position is complete, except for the missing brackets. */
  readonly before: number;
}

function scan(text: string): Scan {
  const closers: string[] = [];
  let [isInString, before] = [false, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isInString) {
      if (character === "\\") at++;
      else if (character === '"') isInString = false;
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === "}" || character === "]") closers.pop();
    else if (character === ",") before = at;
    else if (character === "{" || character === "[") {
      closers.push(character === "{" ? "}" : "]");
      before = at + 1;
    }
  }
  return { closers: closers.toReversed().join(""), isInString, before };
}

/** Removes an escape sequence that the truncation has split. Backslashes in pairs are complete. */
function withoutCutEscape(text: string): string {
  const escape = /\\+(?:u[\da-fA-F]{0,3})?$/.exec(text);
  if (!escape) return text;
  const slashes = escape[0].replace(/u.*$/, "").length;
  return slashes % 2 === 0 ? text : text.slice(0, escape.index + slashes - 1);
}
