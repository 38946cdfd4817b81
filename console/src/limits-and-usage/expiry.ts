const DAY_MS = 86_400_000;

/** Never, a number of days from now, a date, or unchanged. */
export type Expiry = "none" | "7" | "30" | "90" | "date" | "same";

/** The `expires_at` of the API; undefined means unchanged. A date includes the whole day, in the browser's time zone. */
export function expiresAt(expiry: Expiry, date: string, nowMs = Date.now()): string | null | undefined {
  if (expiry === "same") return undefined;
  if (expiry === "none") return null;
  if (expiry !== "date") return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  const [year, month, day] = date.split("-").map(Number);
  return new Date(year!, month! - 1, day! + 1).toISOString();
}

/** A day in the format of date inputs. */
export function dateField(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}
