import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

const CSS = readFileSync(join(import.meta.dir, "../style.css"), "utf8");
const NAMES = [...Array.from({ length: 10 }, (_, at) => String(at + 1)), "rest"];

/** Colour vision, complete or without one kind of cones, in linear RGB: Machado, Oliveira and Fernandes 2009, severity 1. */
const VISIONS: Readonly<Record<string, Matrix>> = {
  "normal vision": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

/**
 * Differences in OKLab × 100, where about 2 is just noticeable. Neighbours in a stack touch each other. Other series may touch too, if the
 * values between them are zero.
 */
const [BETWEEN_NEIGHBOURS, BETWEEN_ANY] = [12, 5];

describe.each(["light", "dark"] as const)("the colours of series in the %s theme", (theme) => {
  const colors = NAMES.map((name) => linear(colorOf(`series-${name}`, theme)));

  test.each(Object.keys(VISIONS))("differ with %s", (vision) => {
    const seen = colors.map((color) => toOklab(apply(VISIONS[vision]!, color)));
    const pairs = seen.flatMap((one, a) => seen.slice(a + 1).map((other, at) => ({ a, b: a + 1 + at, difference: distance(one, other) })));
    const alike = pairs.filter(({ a, b, difference }) => difference < (b === a + 1 ? BETWEEN_NEIGHBOURS : BETWEEN_ANY));
    expect(alike.map(({ a, b, difference }) => `${NAMES[a]} and ${NAMES[b]}: ${difference.toFixed(1)}`)).toEqual([]);
  });

  test("have a contrast of at least 3:1 to the surface", () => {
    const surface = luminance(linear(colorOf("surface", theme)));
    const contrasts = colors.map(luminance).map((own) => (Math.max(own, surface) + 0.05) / (Math.min(own, surface) + 0.05));
    expect(Math.min(...contrasts)).toBeGreaterThan(3);
  });
});

function colorOf(name: string, theme: "light" | "dark"): string {
  const [, light, dark] = new RegExp(`--color-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\);`).exec(CSS)!;
  return theme === "light" ? light! : dark!;
}

function linear(hex: string): Triple {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function apply(matrix: Matrix, [x, y, z]: Triple): Triple {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;
}

/** Colours outside of the screen's range are clipped. */
function toOklab(rgb: Triple): Triple {
  const shown = rgb.map((part) => Math.min(1, Math.max(0, part))) as unknown as Triple;
  return apply(TO_OKLAB, apply(TO_CONES, shown).map(Math.cbrt) as unknown as Triple);
}

function distance(a: Triple, b: Triple): number {
  return Math.hypot(...a.map((part, at) => part - b[at]!)) * 100;
}

function luminance([red, green, blue]: Triple): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
