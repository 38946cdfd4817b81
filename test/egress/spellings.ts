/** Spellings of an IPv4 address that a URL parser, a resolver or a careless check might take for another host. */

type Parts = readonly [number, number, number, number];

function partsOf(address: string): Parts {
  return address.split(".").map(Number) as unknown as Parts;
}

const hex = (value: number): string => `0x${value.toString(16)}`;
const octal = (value: number): string => `0${value.toString(8)}`;
const groups = ([a, b, c, d]: Parts): [string, string] => [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
const flipped = (parts: Parts): Parts => parts.map((part) => part ^ 255) as unknown as Parts;

/** Other characters that Unicode maps to these ten digits (UTS 46 maps them before a host is parsed). */
const DIGITS: Readonly<Record<string, (digit: number) => string>> = {
  fullwidth: (digit) => String.fromCodePoint(0xff10 + digit),
  circled: (digit) => (digit === 0 ? "⓪" : String.fromCodePoint(0x245f + digit)),
  superscript: (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]!,
  bold: (digit) => String.fromCodePoint(0x1d7ce + digit),
  monospace: (digit) => String.fromCodePoint(0x1d7f6 + digit),
};

/** As numbers: a URL parser reads each of them as the same address. */
export function numericSpellings(address: string): string[] {
  const parts = partsOf(address);
  const [a, b, c, d] = parts;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const low = (b * 256 + c) * 256 + d;
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    hex(whole).toUpperCase(),
    octal(whole),
    `000${octal(whole)}`,
    parts.map(hex).join("."),
    parts.map(octal).join("."),
    parts.map((part) => `00${octal(part)}`).join("."),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${low}`,
    `${hex(a)}.${hex(low)}`,
    `${octal(a)}.${octal(low)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c * 256 + d}.`,
  ];
}

/** In other characters: the URL parser maps these to the same address, or rejects them. */
export function disguisedSpellings(address: string): string[] {
  const inDigits = Object.values(DIGITS).map((digit) => address.replaceAll(/\d/g, (each) => digit(Number(each))));
  return [
    ...inDigits,
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    address.replaceAll(".", "｡"),
    address.replaceAll(/\d/g, (each) => `%3${each}`),
    address.replaceAll(".", "%2e"),
    address.replaceAll(".", "%E3%80%82"),
    address.replace(".", "\t."),
    address.replace(".", "\u00ad."),
    address.replace(".", "\u200b."),
    `${address}%00`,
    `${address}..`,
  ];
}

/** Embedded in an IPv6 address. */
export function embeddedSpellings(address: string): string[] {
  const parts = partsOf(address);
  const [high, low] = groups(parts);
  const padded = `${high.padStart(4, "0")}:${low.padStart(4, "0")}`;
  return [
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[::FFFF:${padded.toUpperCase()}]`,
    `[0:0:0:0:0:ffff:${address}]`,
    `[0000:0000:0000:0000:0000:ffff:${padded}]`,
    `[::ffff:0:${address}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:4136:e378:8000:63bf:${groups(flipped(parts)).join(":")}]`,
    `[2001::${groups(flipped(parts)).join(":")}]`,
    `[fe80::5efe:${high}:${low}]`,
    `[fe80::200:5efe:${address}]`,
    `[::ffff:${address}%25lo]`,
    `[::ffff:${address}%lo]`,
  ];
}

/** Complete URLs that seem to have a different host than the real one. */
export function trickSpellings(address: string, port: number): string[] {
  const host = `${address}:${port}`;
  return [
    `https://api.openai.com@${host}/v1`,
    `https://api.openai.com:443@${host}/v1`,
    `https://api.openai.com%2f@${host}/v1`,
    `https://api.openai.com%00@${host}/v1`,
    `https://user:api.openai.com@${host}/v1`,
    `https://${host}#@api.openai.com/v1`,
    `https://${host}?@api.openai.com/v1`,
    `https://${host}/@api.openai.com/v1`,
    `https://${host}\\@api.openai.com/v1`,
    `https:\\\\${host}\\v1`,
    `https:/${host}/v1`,
    `https:${host}/v1`,
    `https:///${host}/v1`,
    ` https://${host}/v1`,
    `ht\ntps://${host}/v1`,
    `HTTPS://${host}/v1`,
  ];
}
