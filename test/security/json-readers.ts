/**
 * JSON as servers in several languages parse it. Each reader receives an object as the ordered list of its members, and selects from it.
 */

export type Member = readonly [name: string, value: Parsed];
export type Parsed = string | number | boolean | null | readonly Parsed[] | { readonly members: readonly Member[] };

/** How a reader finds a field in the members of an object. */
export type Reader = (members: readonly Member[], name: string) => Parsed | undefined;

/** The first member with exactly this name. */
export const firstWins: Reader = (members, name) => members.find(([each]) => each === name)?.[1];

/** The last member with exactly this name, as in JavaScript and Python. */
export const lastWins: Reader = (members, name) => members.findLast(([each]) => each === name)?.[1];

/** The last member with this name or a variant of it, as in Go. */
export const anyCaseLastWins: Reader = (members, name) => members.findLast(([each]) => folded(each) === folded(name))?.[1];

/** Unicode simple case folding, only where the result is ASCII: capitals, the Kelvin sign and the long s. */
function folded(name: string): string {
  return name.replaceAll("\u212a", "k").replaceAll("\u017f", "s").toLowerCase();
}

/** The value in a text, which must be valid JSON. */
export function parseMembers(text: string): Parsed {
  let at = 0;
  const skip = (): void => void (at += /^[ \t\r\n]*/.exec(text.slice(at))![0].length);
  const token = (pattern: RegExp): string => {
    const found = pattern.exec(text.slice(at))![0];
    at += found.length;
    return found;
  };
  const list = <T>(close: string, item: () => T): T[] => {
    const items: T[] = [];
    at++;
    for (skip(); text[at] !== close; skip()) {
      if (text[at] === ",") at++;
      skip();
      items.push(item());
    }
    at++;
    return items;
  };
  const string = (): string => JSON.parse(token(/^"(?:[^"\\]|\\.)*"/s)) as string;
  const member = (): Member => {
    const name = string();
    skip();
    at++;
    return [name, value()];
  };
  const value = (): Parsed => {
    skip();
    if (text[at] === "{") return { members: list("}", member) };
    if (text[at] === "[") return list("]", value);
    if (text[at] === '"') return string();
    return JSON.parse(token(/^[^,\]}\s]+/)) as number | boolean | null;
  };
  return value();
}
