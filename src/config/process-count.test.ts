import { describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { ConfigError } from "./config-error.ts";
import { readProcessCount } from "./process-count.ts";

const LINUX = { platform: "linux", cores: 8 } as const;
const MACOS = { platform: "darwin", cores: 8 } as const;

function problemOf(text: string, machine: typeof LINUX | typeof MACOS = LINUX): string {
  try {
    return `it is ${readProcessCount(text, "TOLLGATE_PROCESSES", machine)}`;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

describe("the number of processes", () => {
  test("is one by default", () => {
    expect(readProcessCount(undefined, "TOLLGATE_PROCESSES", LINUX)).toBe(1);
  });

  test("is a number between 1 and 256", () => {
    expect(["1", "4", "256"].map((text) => readProcessCount(text, "TOLLGATE_PROCESSES", LINUX))).toEqual([1, 4, 256]);
    for (const text of ["0", "257", "-1", "1.5", "4x", "many", "", " 4"]) {
      expect(problemOf(text)).toBe(`TOLLGATE_PROCESSES must be a whole number between 1 and 256, or auto, not ${JSON.stringify(text)}`);
    }
  });

  test("is one per core with auto", () => {
    expect(readProcessCount("auto", "TOLLGATE_PROCESSES", LINUX)).toBe(8);
    expect(readProcessCount("auto", "TOLLGATE_PROCESSES", { platform: "linux", cores: 300 })).toBe(256);
    if (process.platform === "linux") expect(readProcessCount("auto", "TOLLGATE_PROCESSES")).toBe(Math.min(availableParallelism(), 256));
  });

  test("is one on macOS, which refuses more", () => {
    expect(["1", "auto"].map((text) => readProcessCount(text, "TOLLGATE_PROCESSES", MACOS))).toEqual([1, 1]);
    expect(problemOf("2", MACOS)).toBe(
      "TOLLGATE_PROCESSES must be 1 or auto on macOS, not 2: macOS does not distribute connections among processes",
    );
  });
});
