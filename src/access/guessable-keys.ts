import { sha256Of } from "./api-key.ts";

/** Words of keys in examples, and the passwords that people choose most. */
const WORDS =
  "123456 12345678 123456789 1234567890 abc abc123 abcd abcdef abcdefg admin admin123 administrator ai anything api api-key apikey bearer changeme chat claude client company default demo dev development dummy empty example fake foo foobar gateway gpt gpt-4 hello key letmein litellm litellm-key litellm-master-key litellm-proxy llm local localhost master master-key masterkey my-key mykey none noop not-needed null openai openai-key password password123 placeholder prod production proxy qwerty root sample secret secret-key service sk staging team temp test test-key test123 test1234 testing testkey token user welcome xxx xxxx xxxxx xxxxxx xxxxxxxx your-api-key your-key your-master-key".split(
    " ",
  );
const PREFIXES = ["sk-", "", "sk_", "sk-litellm-", "sk-proj-", "key-", "litellm-"];
const MAX_DIGITS = 5;

/**
 * The hashes, among the given SHA-256 hashes in hexadecimal, of keys that are easy to guess, such as `sk-1234`. Takes about 0.1 s of CPU.
 */
export function findGuessable(hashes: Iterable<string>): ReadonlySet<string> {
  const wanted = new Set(hashes);
  const found = new Set<string>();
  const examine = (text: string): void => {
    const hash = sha256Of(text);
    if (wanted.has(hash)) found.add(hash);
  };
  for (const prefix of PREFIXES) {
    for (const word of WORDS) for (const text of [word, word.toUpperCase(), `${word}1`]) examine(prefix + text);
  }
  for (const prefix of PREFIXES.slice(0, 2)) for (const text of numbers()) examine(prefix + text);
  return found;
}

/** Every number of up to five digits, with and without leading zeros. */
function* numbers(): Iterable<string> {
  for (let digits = 1; digits <= MAX_DIGITS; digits++) {
    for (let number = 0; number < 10 ** digits; number++) yield String(number).padStart(digits, "0");
  }
}
