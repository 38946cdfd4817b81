import { ApiError } from "../../requests/api-error.ts";
import type { Person } from "../../access/person.ts";

/**
 * Words of the most common passwords. NIST SP 800-63B §5.1.1.2 requires a list of these, of the service's name and of personal data, "and
 * derivatives thereof". A password may contain such words, but must not consist of them.
 */
const COMMON_WORDS: readonly string[] = `
  password passwort passw passphrase kennwort motdepasse contraseña contrasena senha
  admin administrator root user username guest login signin default operator superuser manager
  welcome hello letmein openup access secret changeme change temporary temp test testing demo
  iloveyou loveyou love sunshine princess dragon monkey shadow master superman batman starwars
  football baseball basketball soccer hockey michael jordan charlie jessica ashley michelle daniel
  computer internet server google freedom whatever trustno killer cheese summer winter spring autumn
  tollgate gateway
`
  .trim()
  .split(/\s+/);

/** Keyboard and counting sequences. Four or more consecutive characters of a sequence, in either direction, do not count as unguessed. */
const SEQUENCES: readonly string[] = `
  abcdefghijklmnopqrstuvwxyz 01234567890 !@#$%^&*()
  qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm
  1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 qazwsxedcrfvtgbyhnujmikolp
  1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p zaq1xsw2cde3vfr4bgt5nhy6mju7
`
  .trim()
  .split(/\s+/)
  .flatMap((each) => [each, each.split("").toReversed().join("")]);

const MIN_SEQUENCE_LENGTH = 4;

/** The minimum number of different characters, and of characters that are neither in a word nor in a sequence. */
const MIN_DIFFERENT = 5;
const MIN_UNGUESSED = 6;

/** A password that repeats a part of at most this length is rejected. A longer part may be repeated. */
const MAX_REPEATED_LENGTH = 8;

const MIN_NAME_LENGTH = 3;

/** Common substitutions of letters, which attackers know. */
const DISGUISES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** Rejects a new password that is easy to guess. `param` is its field. */
export function refuseWeak(password: string, person: Pick<Person, "email" | "name">, param: string): void {
  const problem = problemOf(password.normalize("NFKC").toLowerCase(), person);
  if (problem !== undefined) throw new ApiError("invalid_value", `${param} ${problem}. A few unrelated words are better.`, { param });
}

function problemOf(password: string, person: Pick<Person, "email" | "name">): string | undefined {
  if (isRepetition(password)) return "must not repeat the same few characters";
  if (countUnguessed(password, [...COMMON_WORDS, ...wordsOf(person)]) >= MIN_UNGUESSED) return undefined;
  return "must not be made of common passwords, sequences such as 1234 or qwerty, or your name or email address";
}

function isRepetition(password: string): boolean {
  if (new Set(password).size < MIN_DIFFERENT) return true;
  for (let length = 1; length <= MAX_REPEATED_LENGTH; length++) {
    const part = password.slice(0, length);
    if (part.repeat(Math.ceil(password.length / length)).startsWith(password)) return true;
  }
  return false;
}

/** The name, the email address, and the parts of both. */
function wordsOf({ email, name }: Pick<Person, "email" | "name">): string[] {
  const texts = [email, name].map((text) => text.normalize("NFKC").toLowerCase());
  return texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).filter((word) => word.length >= MIN_NAME_LENGTH);
}

/**
 * The number of letters and digits outside of words, sequences and years. Other characters count once each: they are mostly at the end.
 */
function countUnguessed(password: string, words: readonly string[]): number {
  const guessed = new Set<number>();
  const mark = (at: number, length: number): void => {
    for (let each = at; each < at + length; each++) guessed.add(each);
  };
  for (const { index } of password.matchAll(/(?:19|20)\d\d/g)) mark(index, 4);
  const undisguised = password.replaceAll(/[@431!0$57]/g, (char) => DISGUISES[char]!);
  for (let at = 0; at < password.length; at++) {
    mark(at, sequenceAt(password, at));
    for (const word of words) if (password.startsWith(word, at) || undisguised.startsWith(word, at)) mark(at, word.length);
  }
  const rest = Array.from({ length: password.length }, (_, at) => at)
    .filter((at) => !guessed.has(at))
    .map((at) => password[at]!);
  const symbols = rest.filter((char) => /[^\p{L}\p{N}]/u.test(char));
  return rest.length - symbols.length + new Set(symbols).size;
}

/** The length of the sequence that starts here; 0 if there is none. */
function sequenceAt(password: string, at: number): number {
  let length = MIN_SEQUENCE_LENGTH - 1;
  const goesOn = (): boolean =>
    at + length < password.length && SEQUENCES.some((each) => each.includes(password.slice(at, at + length + 1)));
  while (goesOn()) length++;
  return length < MIN_SEQUENCE_LENGTH ? 0 : length;
}
