import type { Endpoint } from "../../http/endpoint.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import type { Platform } from "../platform.ts";
import { findAccount } from "./account-view.ts";
import { viewEntry } from "./entry-view.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

/** GET /api/accounts/:id/entries: what has happened to an account's credit, newest first, a page at a time. */
export function listEntries(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/accounts/:id/entries",
    handle({ request }) {
      const { before, limit } = readQuery(request.url);
      const account = findAccount((request.params as { id: string }).id, platform);
      // One more than asked for, to know whether there is a next page.
      const entries = platform.ledger.entriesOf(account.id, before, limit + 1);
      const page = entries.slice(0, limit);
      return Response.json({ data: page.map(viewEntry), next: entries.length > limit ? page.at(-1)!.id : null });
    },
  };
}

function readQuery(url: string): { before: number; limit: number } {
  const query = { before: Number.MAX_SAFE_INTEGER, limit: DEFAULT_LIMIT };
  const seen = new Set<string>();
  for (const [name, text] of new URL(url).searchParams) {
    if (name !== "before" && name !== "limit") throw refusal("unsupported_parameter", name.slice(0, 100), "is not a known parameter");
    if (seen.has(name)) throw refusal("invalid_value", name, "is given twice");
    seen.add(name);
    query[name] = readCount(name, text);
  }
  return query;
}

function readCount(name: "before" | "limit", text: string): number {
  const highest = name === "limit" ? MAX_LIMIT : Number.MAX_SAFE_INTEGER;
  const count = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= highest) return count;
  throw refusal("invalid_value", name, name === "limit" ? `must be a whole number from 1 to ${MAX_LIMIT}` : "must be the id of an entry");
}

function refusal(code: "unsupported_parameter" | "invalid_value", param: string, problem: string): GatewayError {
  return new GatewayError(code, `${param} ${problem}.`, { param });
}
