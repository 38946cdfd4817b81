import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { BlockList } from "node:net";
import { runs } from "../../../test/support/long.ts";
import { isAddress, isWithin, kindOfAddress, parseRange, type AddressReach } from "./ip-address.ts";

/**
 * The same rules, implemented differently: with the block lists of node:net, and with IPv4 addresses inside IPv6 extracted from the bytes.
 */
const PRIVATE = listOf(
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["::1", 128],
  ["fc00::", 7],
);
const SPECIAL = listOf(
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["fd00:ec2::", 32],
  ["fd20:ce::254", 128],
  ["fd00:42::42", 128],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
);
const INTERNET = listOf(["2000::", 3]);

function listOf(...blocks: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, length] of blocks) list.addSubnet(address, length, address.includes(":") ? "ipv6" : "ipv4");
  return list;
}

function expectedV4(address: string): AddressReach {
  if (SPECIAL.check(address, "ipv4")) return "never";
  return PRIVATE.check(address, "ipv4") ? "private" : "public";
}

function expectedV6(bytes: readonly number[]): AddressReach {
  const prefix = Buffer.from(bytes.slice(0, 12)).toString("hex");
  const embedded = expectedV4(bytes.slice(12).join("."));
  if (prefix === "00000000000000000000ffff") return embedded;
  if (prefix === "0064ff9b0000000000000000") return embedded === "public" ? "public" : "never";
  const address = spell(bytes);
  if (SPECIAL.check(address, "ipv6")) return "never";
  if (PRIVATE.check(address, "ipv6")) return "private";
  return INTERNET.check(address, "ipv6") ? "public" : "never";
}

function spell(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("hex").match(/.{4}/g)!.join(":");
}

const byte = fc.integer({ min: 0, max: 255 });
const bytes = (length: number): fc.Arbitrary<number[]> => fc.array(byte, { minLength: length, maxLength: length });

/** The addresses at both ends of every block, and one beyond each end, where mistakes are likely. */
const EDGES_V4 =
  "0 10 100.64 100.100.100.200 127 168.63.129.16 169.254 172.16 192.0.0 192.0.2 192.88.99 192.168 198.18 198.51.100 203.0.113 224 240"
    .split(" ")
    .flatMap((start) => [8, 10, 12, 15, 16, 24, 32].flatMap((length) => edgesOf(start, length)));

function edgesOf(start: string, length: number): number[][] {
  const first = start
    .split(".")
    .concat("0", "0", "0")
    .slice(0, 4)
    .reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - length);
  return [first - 1, first, first + size - 1, first + size].map((value) =>
    [...new Uint8Array(new Uint32Array([value]).buffer)].toReversed(),
  );
}

describe("every IPv4 address", () => {
  test("is of the kind the registries give it", () => {
    const edge = fc.constantFrom(...EDGES_V4);
    fc.assert(
      fc.property(fc.oneof(bytes(4), edge), (parts) => {
        expect(kindOfAddress(parts.join(".")).reach).toBe(expectedV4(parts.join(".")));
      }),
      runs(5000, 400_000),
    );
    for (const parts of EDGES_V4)
      expect([parts.join("."), kindOfAddress(parts.join(".")).reach]).toEqual([parts.join("."), expectedV4(parts.join("."))]);
  });
});

describe("every IPv6 address", () => {
  const prefixes = "2000 3fff 2001 2001:db8 2002 fc00 fd00:ec2 fd20:ce fe80 fec0 ff00 64:ff9b 64:ff9b:1 0 100 5f00 4000"
    .split(" ")
    .map((text) => text.split(":").flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
  const near = fc.tuple(fc.constantFrom(...prefixes), bytes(16)).map(([prefix, rest]) => [...prefix, ...rest.slice(prefix.length)]);
  const carrier = fc.constantFrom("00000000000000000000ffff", "0064ff9b0000000000000000", "000000000000000000000000");
  const carrying = fc
    .tuple(carrier, fc.oneof(bytes(4), fc.constantFrom(...EDGES_V4)))
    .map(([prefix, embedded]) => [...Buffer.from(prefix, "hex"), ...embedded]);

  test("is of the kind the registries give it, also where it carries an IPv4 address", () => {
    fc.assert(
      fc.property(fc.oneof(bytes(16), near, carrying), (parts) => {
        expect([spell(parts), kindOfAddress(spell(parts)).reach]).toEqual([spell(parts), expectedV6(parts)]);
      }),
      runs(5000, 400_000),
    );
  });

  test("is of one kind however it is written", () => {
    const spellings = ["::ffff:10.0.0.1", "::FFFF:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:ffff:0a00:0001", "0000::ffff:10.0.0.1"];
    for (const text of spellings) expect(kindOfAddress(text)).toEqual({ reach: "private", name: "a private address" });
  });
});

test("invalid addresses are rejected, and never called", () => {
  const texts = [
    "",
    "localhost",
    "10.0.0.1 ",
    "010.0.0.1",
    "0x7f.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "::1%lo",
    "[::1]",
    "::g",
    "1::2::3",
    ":",
  ];
  for (const text of [...texts, "1:2:3:4:5:6:7", "::1]@8.8.8.8", "::1/", "2130706433", "1.2.3.4\n", "::ffff:1.2.3.04", "..:", "::1.2.3"]) {
    expect([text, isAddress(text), kindOfAddress(text).reach]).toEqual([text, false, "never"]);
  }
});

test("well-known metadata services are never called", () => {
  const services = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"];
  for (const address of [...services, "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::a9fe:a9fe"]) {
    expect([address, kindOfAddress(address).reach]).toEqual([address, "never"]);
  }
});

/** A range, and an address that shares its first bits, more or fewer than the range requires. */
const near = (length: number): fc.Arbitrary<{ range: number[]; prefixBits: number; address: number[] }> =>
  fc
    .tuple(bytes(length), bytes(length), fc.integer({ min: 1, max: length * 8 }), fc.integer({ min: 0, max: length * 8 }))
    .map(([range, other, prefixBits, shared]) => ({
      range,
      prefixBits,
      address: range.map((each, at) => {
        const mask = (0xff_00 >> Math.min(8, Math.max(0, shared - at * 8))) & 0xff;
        return (each & mask) | (other[at]! & ~mask & 0xff);
      }),
    }));

describe("a range", () => {
  test("contains the same IPv4 and IPv6 addresses as in node:net", () => {
    for (const [length, version, write] of [
      [4, "ipv4", (parts: readonly number[]) => parts.join(".")],
      [16, "ipv6", (parts: readonly number[]) => spell([0x20, ...parts.slice(1)])],
    ] as const) {
      fc.assert(
        fc.property(near(length), ({ range, prefixBits, address }) => {
          const list = new BlockList();
          list.addSubnet(write(range), prefixBits, version);
          const parsed = parseRange(`${write(range)}/${prefixBits}`)!;
          expect(isWithin(write(address), [parsed])).toBe(list.check(write(address), version));
          expect(isWithin(write(range), [parseRange(write(range))!])).toBe(true);
        }),
        runs(1250, 100_000),
      );
    }
  });

  test("of IPv4 matches IPv4-mapped IPv6 addresses, and the reverse", () => {
    for (const range of ["10.0.0.0/8", "::ffff:10.0.0.0/104"]) {
      for (const address of ["10.9.9.9", "::ffff:10.9.9.9", "::ffff:a09:909"]) expect(isWithin(address, [parseRange(range)!])).toBe(true);
      for (const address of ["11.0.0.0", "::10.9.9.9", "a00::", "10.9.9.9 ", ""])
        expect(isWithin(address, [parseRange(range)!])).toBe(false);
    }
    expect(isWithin("10.0.0.1", [])).toBe(false);
  });

  test("that is invalid, or contains every address, is rejected", () => {
    const texts = ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/0", "::/0", "::/129"];
    for (const text of [...texts, "::ffff:10.0.0.0/96", "::ffff:10.0.0.0/8", "localhost", "10.0.0.1:80", "10.0.0.0/ 8", "10.0.0.0/1e1"]) {
      expect([text, parseRange(text)]).toEqual([text, undefined]);
    }
  });
});
