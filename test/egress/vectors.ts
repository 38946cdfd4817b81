import { disguisedSpellings, embeddedSpellings, numericSpellings, trickSpellings } from "./spellings.ts";

/** An attempt to make the gateway connect to a forbidden address. */
export interface Vector {
  readonly baseUrl: string;
  readonly allowPrivate: boolean;
  /** The addresses to which the name resolves, if there is a name. */
  readonly answer?: readonly string[];
}

/** At least one address of every range that is allowed only with `allow_private`. */
export const PRIVATE = [
  ..."127.0.0.1 127.0.0.2 127.255.255.254 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.255".split(" "),
  ..."100.64.0.1 100.127.255.254 ::1 fc00::1 fd12:3456::1 fdff:ffff::ffff ::ffff:127.0.0.1 ::ffff:10.0.0.1".split(" "),
];

/** At least one address of every range that is never allowed. */
export const NEVER = [
  ..."0.0.0.0 0.1.2.3 169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1".split(
    " ",
  ),
  ..."198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255".split(" "),
  ...":: ::127.0.0.1 fe80::1 febf::1 fe80::a9fe:a9fe fec0::1 ff02::1 ff0e::1 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42".split(
    " ",
  ),
  ..."64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1".split(" "),
  ..."2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 3fff::1 4000::1 5f00::1 ::ffff:169.254.169.254 ::ffff:0.0.0.0".split(" "),
  // Answers that no resolver should return, because the code that dials them would parse them again.
  ..."fe80::1%lo ::1%lo localhost 2130706433 0x7f.1 127.1".split(" "),
];

/** The addresses among these that serve the credentials of a machine. Only an identity of the machine may send requests to them. */
export const METADATA = "169.254.169.254 169.254.170.2 169.254.170.23 fd00:ec2::254 fd00:ec2::23 fd20:ce::254".split(" ");

/** Public addresses. The tests never send anything to them. */
export const PUBLIC = ["8.8.8.8", "2606:4700::1111"] as const;

const LOCALHOSTS = [
  "localhost",
  "LocalHost",
  "localhost.",
  "localhost..",
  "a.localhost",
  "a.b.LOCALHOST.",
  "ⓛⓞⓒⓐⓛhost",
  "local\u00adhost",
  "%6cocalhost",
];

const isIPv4 = (address: string): boolean => /^(\d+\.){3}\d+$/.test(address);
const isIPv6 = (address: string): boolean => /^[\da-f:.]+$/.test(address) && address.includes(":");

/** Addresses written into the base URL, in all their spellings. */
export function literalVectors(port: number): Vector[] {
  const refused = (host: string): Vector => ({ baseUrl: `https://${host}:${port}/v1`, allowPrivate: false });
  const refusedAlways = (host: string): Vector => ({ baseUrl: `http://${host}:${port}/v1`, allowPrivate: true });
  const all = [...PRIVATE, ...NEVER];
  const wellKnown = ["127.0.0.1", "127.255.255.254", "10.0.0.1", "192.168.0.1", "169.254.169.254", "0.0.0.0"];
  return unique([
    ...all.filter(isIPv4).flatMap(numericSpellings).map(refused),
    ...wellKnown.flatMap(disguisedSpellings).map(refused),
    ...wellKnown.flatMap(embeddedSpellings).map(refused),
    ...wellKnown.flatMap((address) => trickSpellings(address, port)).map((baseUrl) => ({ baseUrl, allowPrivate: false })),
    ...all.filter(isIPv6).map((address) => refused(`[${address}]`)),
    ...LOCALHOSTS.map(refused),
    ...NEVER.filter(isIPv4).flatMap(numericSpellings).map(refusedAlways),
    ...NEVER.filter(isIPv6).map((address) => refusedAlways(`[${address}]`)),
    ...embeddedSpellings("169.254.169.254").map(refusedAlways),
    ...PUBLIC.filter(isIPv4).flatMap(numericSpellings).map(refusedAlways),
    ...all.filter(isIPv4).map((address) => ({ baseUrl: `http://${address}:${port}/v1`, allowPrivate: false })),
  ]);
}

/** Names that resolve to forbidden addresses: only to these, or to a mix with allowed addresses. */
export function nameVectors(port: number): Vector[] {
  const named = (scheme: string, allowPrivate: boolean, answers: readonly string[][]): Vector[] =>
    answers.map((answer) => ({ baseUrl: `${scheme}://name.test:${port}/v1`, allowPrivate, answer }));
  return unique([
    ...named("https", false, [...PRIVATE, ...NEVER].flatMap(among)),
    ...named("http", true, NEVER.flatMap(amongAllowed)),
    ...named("https", true, NEVER.flatMap(amongAllowed)),
    ...named("http", true, PUBLIC.flatMap(amongAllowed)),
  ]);
}

function among(address: string): string[][] {
  const [one, other] = PUBLIC;
  return [[address], [one, address], [address, one], [one, address, other]];
}

function amongAllowed(address: string): string[][] {
  return [[address], ["127.0.0.1", address], [address, "127.0.0.1"]];
}

/** Targets to which an upstream may try to redirect the gateway. */
export function redirectTargets(port: number): string[] {
  const hosts = [...numericSpellings("127.0.0.1"), ...embeddedSpellings("127.0.0.1").slice(0, 5), "[::1]", "localhost", "0.0.0.0"];
  return [
    ...hosts.flatMap((host) => [`http://${host}:${port}/latest/meta-data`, `//${host}:${port}/v1/chat/completions`]),
    ...trickSpellings("127.0.0.1", port).map((url) => encodeURI(url.trim()).replaceAll("https", "http")),
    `http:127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}`,
    `http://user:password@127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `http://169.254.169.254/latest/meta-data/iam/security-credentials/`,
  ];
}

/** Two spellings of an address may be the same: the decimal and the octal spelling of 0.0.0.0. */
function unique(vectors: readonly Vector[]): Vector[] {
  return [...new Map(vectors.map((vector) => [JSON.stringify(vector), vector])).values()];
}
