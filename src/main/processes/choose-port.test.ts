import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Server } from "bun";
import { choosePort } from "./owner-process.ts";

const HOST = "127.0.0.1";
let taken: Server<undefined>;
let port: number;

beforeAll(() => {
  taken = Bun.serve({ hostname: HOST, port: 0, fetch: () => new Response() });
  port = taken.port!;
});
afterAll(() => taken.stop(true));

const survivor = (its: number | undefined) => ({ id: "1-a", pid: 1, port: its });

test("survivors keep their port, where it is configured and where any will do", () => {
  expect(choosePort(HOST, port, [survivor(port)])).toBe(port);
  expect(choosePort(HOST, 0, [survivor(undefined), survivor(port)])).toBe(port);
  expect(choosePort(HOST, port, [survivor(undefined)])).toBe(port);
});

test("another port must be free", () => {
  expect(() => choosePort(HOST, port, [])).toThrow(String(port));
  expect(() => choosePort(HOST, port, [survivor(port === 1 ? 2 : 1)])).toThrow(String(port));
  // Ephemeral ports begin there.
  expect(choosePort(HOST, 0, [])).toBeLessThan(32_768);
});
