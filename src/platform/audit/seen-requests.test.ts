import { expect, test } from "bun:test";
import { SeenRequests } from "./seen-requests.ts";

test("knows exactly the seen ids, over more than one table", () => {
  const seen = new SeenRequests();
  const count = 700_000;
  for (let at = 0; at < count; at++) seen.add(`req_${at}`);
  let wrong = 0;
  for (let at = 0; at < count; at += 7) if (!seen.has(`req_${at}`)) wrong++;
  for (let at = count; at < count + 100_000; at++) if (seen.has(`req_${at}`)) wrong++;
  expect(wrong).toBe(0);
});
