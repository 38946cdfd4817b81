const DAY_MS = 86_400_000;

/** How long a key is to work: for ever, so many days from now, until a date, or as it was. */
export type Expiry = "none" | "7" | "30" | "90" | "date" | "same";

/** As the platform takes it: undefined leaves it as it was. The day that is named is the last one, in the zone of whoever looks. */
export function expiresAt(expiry: Expiry, date: string, nowMs = Date.now()): string | null | undefined {
  if (expiry === "same") return undefined;
  if (expiry === "none") return null;
  if (expiry !== "date") return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  const [year, month, day] = date.split("-").map(Number);
  return new Date(year!, month! - 1, day! + 1).toISOString();
}

/** A day as fields of dates have it. */
export function dateField(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}
