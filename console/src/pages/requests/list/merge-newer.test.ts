import { expect, test } from "bun:test";
import type { LoggedRequest } from "../../../../../platform-client/types.ts";
import { mergeNewer } from "./merge-newer.ts";

const named = (...ids: string[]): LoggedRequest[] => ids.map((id) => ({ request_id: id }) as LoggedRequest);
const list = {
  pages: [
    { data: named("2", "1"), next: "more", newer: "at 2" },
    { data: named("0"), next: null, newer: null },
  ],
  pageParams: [null, "more"],
};

test("prepends newer requests, newest first", () => {
  const { pages, pageParams } = mergeNewer(list, { data: named("3", "4"), next: null, newer: "at 4" });
  expect(pages[0]).toEqual({ data: named("4", "3", "2", "1"), next: "more", newer: "at 4" });
  expect([pages[1], pageParams]).toEqual([list.pages[1]!, list.pageParams]);
});

test("advances the cursor when there are no newer requests", () => {
  expect(mergeNewer(list, { data: [], next: null, newer: "at 9" }).pages[0]).toEqual({ ...list.pages[0]!, newer: "at 9" });
});
