/**
 * The kind of an IP address. `public`: on the internet. `private`: this machine or its network, which an operator can permit. `never`: a
 * model server cannot have this address, or the address is a metadata service, which reveals credentials of the machine.
 */
export type AddressReach = "public" | "private" | "never";

interface AddressKind {
  readonly reach: AddressReach;
  /** The description of an address for messages: "it is …". */
  readonly name: string;
}

const PUBLIC: AddressKind = { reach: "public", name: "a public address" };
const NO_ADDRESS: AddressKind = { reach: "never", name: "not an IP address" };
const RESERVED: AddressKind = { reach: "never", name: "a reserved address" };
const METADATA = "the metadata service of a cloud";

/**
 * The special-purpose registries of IANA (RFC 6890) and the well-known metadata services, whose responses contain credentials of the
 * machine. The first block that contains an address decides.
 */
const IPV4_BLOCKS = toBlocks(32, [
  ["100.100.100.200/32", "never", METADATA], // Alibaba
  ["168.63.129.16/32", "never", METADATA], // Azure
  ["0.0.0.0/8", "never", "an unspecified address"], // Linux connects to itself on 0.0.0.0
  ["10.0.0.0/8", "private", "a private address"],
  ["100.64.0.0/10", "private", "a private address"], // carrier-grade NAT; also Tailscale
  ["127.0.0.0/8", "private", "a loopback address"],
  ["169.254.0.0/16", "never", "a link-local address"], // 169.254.169.254 is the metadata service of most clouds
  ["172.16.0.0/12", "private", "a private address"],
  ["192.0.0.0/24", "never", "a reserved address"], // 192.0.0.192 is Oracle's metadata service
  ["192.0.2.0/24", "never", "an address for documentation"],
  ["192.88.99.0/24", "never", "a reserved address"], // relays to 6to4
  ["192.168.0.0/16", "private", "a private address"],
  ["198.18.0.0/15", "never", "an address for benchmarks"],
  ["198.51.100.0/24", "never", "an address for documentation"],
  ["203.0.113.0/24", "never", "an address for documentation"],
  ["224.0.0.0/4", "never", "a multicast address"],
  ["240.0.0.0/4", "never", "a reserved address"],
]);

/** In IPv6, only 2000::/3 is allocated for the internet. */
const IPV6_BLOCKS = toBlocks(128, [
  ["::/128", "never", "an unspecified address"],
  ["::1/128", "private", "a loopback address"],
  ["::/96", "never", "an IPv4-compatible address"],
  ["fd00:ec2::/32", "never", METADATA], // Amazon
  ["fd20:ce::254/128", "never", METADATA], // Google
  ["fd00:42::42/128", "never", METADATA], // Scaleway
  ["fc00::/7", "private", "a private address"],
  ["fe80::/10", "never", "a link-local address"],
  ["fec0::/10", "never", "a site-local address"],
  ["ff00::/8", "never", "a multicast address"],
  ["2001::/32", "never", "a Teredo address"], // carries an IPv4 address of the sender's choice
  ["2001::/23", "never", "a reserved address"],
  ["2001:db8::/32", "never", "an address for documentation"],
  ["2002::/16", "never", "a 6to4 address"], // carries an IPv4 address of the sender's choice
  ["3fff::/20", "never", "an address for documentation"],
  ["2000::/3", "public", PUBLIC.name],
]);

/** ::ffff:0:0/96 are IPv4-mapped addresses: the system connects to the IPv4 address. */
const MAPPED = toNumber("::ffff:0:0")! >> 32n;
/** 64:ff9b::/96 is NAT64, by which a network without IPv4 reaches public IPv4 addresses (RFC 6052). */
const NAT64 = toNumber("64:ff9b::")! >> 32n;

/** The kind of an address. */
export function kindOfAddress(address: string): AddressKind {
  const value = toNumber(address);
  if (value === undefined) return NO_ADDRESS;
  if (!address.includes(":")) return findKind(IPV4_BLOCKS, value) ?? PUBLIC;
  const embedded = BigInt.asUintN(32, value);
  if (value >> 32n === MAPPED) return findKind(IPV4_BLOCKS, embedded) ?? PUBLIC;
  if (value >> 32n === NAT64) return findKind(IPV4_BLOCKS, embedded) ? RESERVED : PUBLIC;
  return findKind(IPV6_BLOCKS, value) ?? RESERVED;
}

/**
 * The metadata services that issue credentials of the machine: EC2, Google and Azure share the first address; the others belong to ECS,
 * EKS, and EC2 and Google over IPv6.
 */
const CREDENTIAL_SERVICES = new Set(
  ["169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"].map((address) =>
    toNumber(address),
  ),
);

/** Azure App Service on Linux has its metadata service at changing link-local addresses, such as 169.254.129.3 and 169.254.255.2. */
const APP_SERVICE = /^169\.254\.(12[89]|13\d|255)\.\d+$/;

/** Whether this is the metadata service of a cloud that has the credentials of its identities. */
export function isMetadataAddress(address: string): boolean {
  return CREDENTIAL_SERVICES.has(toNumber(address)) || APP_SERVICE.test(address);
}

/** Whether the text is an IP address: four decimal numbers, or IPv6 without brackets and zone. */
export function isAddress(text: string): boolean {
  return toNumber(text) !== undefined;
}

/** An address range (CIDR). */
export interface AddressRange {
  readonly version: 4 | 6;
  readonly prefix: bigint;
  /** The number of bits after the prefix. */
  readonly hostBits: bigint;
}

/** Parses `10.0.0.0/8`, or a single address as a range of one. Undefined for anything else, and for a range of all addresses. */
export function parseRange(text: string): AddressRange | undefined {
  const [address, length, more] = text.split("/");
  const place = toPlace(address!);
  if (!place || more !== undefined) return undefined;
  const { version, value, bits, skipped } = place;
  if (length === undefined) return { version, prefix: value, hostBits: 0n };
  const prefixBits = /^\d{1,3}$/.test(length) ? Number(length) - skipped : 0;
  if (prefixBits < 1 || prefixBits > bits) return undefined;
  const hostBits = BigInt(bits - prefixBits);
  return { version, prefix: value >> hostBits, hostBits };
}

/** Whether an address is in one of the ranges. Text that is not an address is in no range. */
export function isWithin(address: string, ranges: readonly AddressRange[]): boolean {
  const place = toPlace(address);
  if (!place) return false;
  return ranges.some(({ version, prefix, hostBits }) => version === place.version && place.value >> hostBits === prefix);
}

/**
 * An address as a number, with its IP version. An IPv4-mapped IPv6 address becomes an IPv4 address; `skipped` counts the 96 bits before it.
 */
function toPlace(address: string): { version: 4 | 6; value: bigint; bits: number; skipped: number } | undefined {
  const value = toNumber(address);
  if (value === undefined) return undefined;
  if (!address.includes(":")) return { version: 4, value, bits: 32, skipped: 0 };
  if (value >> 32n === MAPPED) return { version: 4, value: BigInt.asUintN(32, value), bits: 32, skipped: 96 };
  return { version: 6, value, bits: 128, skipped: 0 };
}

interface Block {
  readonly prefix: bigint;
  /** The number of bits after the prefix. */
  readonly hostBits: bigint;
  readonly kind: AddressKind;
}

function toBlocks(bits: number, list: readonly [cidr: string, reach: AddressReach, name: string][]): readonly Block[] {
  return list.map(([cidr, reach, name]) => {
    const [address, length] = cidr.split("/") as [string, string];
    const hostBits = BigInt(bits - Number(length));
    return { prefix: toNumber(address)! >> hostBits, hostBits, kind: { reach, name } };
  });
}

function findKind(blocks: readonly Block[], value: bigint): AddressKind | undefined {
  return blocks.find(({ prefix, hostBits }) => value >> hostBits === prefix)?.kind;
}

function toNumber(address: string): bigint | undefined {
  // The URL parser accepts every notation of an address and returns the canonical one. Only candidates reach it.
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) {
    const isCanonical = URL.parse(`http://${address}/`)?.hostname === address;
    return isCanonical ? joinDigits(address.split("."), 10, 8n) : undefined;
  }
  if (!/^[\da-f:.]+$/i.test(address)) return undefined;
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head, tail] = canonical.split("::").map((part) => part.split(":").filter(Boolean)) as [string[], string[]?];
  const zeros = Array.from({ length: tail ? 8 - head.length - tail.length : 0 }, () => "0");
  return joinDigits([...head, ...zeros, ...(tail ?? [])], 16, 16n);
}

function joinDigits(digits: readonly string[], radix: number, bitsEach: bigint): bigint {
  return digits.reduce((sum, digit) => (sum << bitsEach) | BigInt(Number.parseInt(digit, radix)), 0n);
}

/** The IP address in the host of a parsed URL; undefined for a name. The URL parser has normalized every other way to write it. */
export function addressIn(hostname: string): string | undefined {
  const text = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.+$/, "");
  return isAddress(text) ? text : undefined;
}
