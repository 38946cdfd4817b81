import type { CreateExportRequest, ExportFilters } from "../../../../../platform-client/types.ts";
import { activeFilters } from "../filters/format-filters.ts";
import type { RequestFilters } from "../filters/request-search.ts";

const NUMBER = /_(duration_ms|tokens|attempts)$/;

/** The filters of the URL, which are text, as the body of an API call. The server rejects text that is not a number. */
export function toExportRequest(filters: RequestFilters, format: "csv" | "jsonl"): CreateExportRequest {
  const fields = Object.entries(filters).map(([name, text]) => [name, NUMBER.test(name) && /^\d+$/.test(text) ? Number(text) : text]);
  return { ...(Object.fromEntries(fields) as Omit<CreateExportRequest, "format">), format };
}

/** "Model gpt-4o, Status 5xx", or "All requests". */
export function describeFilters(filters: RequestFilters | ExportFilters): string {
  const given = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  const described = activeFilters(given, (key) => key).map(({ title, value }) => `${title} ${value}`);
  return described.length === 0 ? "All requests" : described.join(", ");
}
