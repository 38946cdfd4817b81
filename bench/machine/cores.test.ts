import { expect, test } from "bun:test";
import { splitCores } from "./cores.ts";

test("two cores: one for the load, the other for a system with one process", () => {
  expect(splitCores(2, 1)).toEqual({ load: "0", system: "1" });
});

test("a system has a core for each of its processes, or all cores", () => {
  for (const processes of [2, 4]) expect(splitCores(2, processes)).toEqual({ load: "0", system: "0-1" });
  expect(splitCores(4, 1)).toEqual({ load: "0", system: "1" });
  expect(splitCores(4, 2)).toEqual({ load: "0", system: "1-2" });
  expect(splitCores(4, 4)).toEqual({ load: "0", system: "0-3" });
});

test("the load has the cores that no system uses, whatever the number of processes", () => {
  for (const processes of [1, 2, 4]) expect(splitCores(8, processes).load).toBe("0,5-7");
  expect(splitCores(6, 4)).toEqual({ load: "0,5", system: "1-4" });
});
