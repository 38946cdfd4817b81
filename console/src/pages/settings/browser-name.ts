const BROWSERS = ["Edg", "OPR", "Firefox", "Chrome", "Safari"] as const;
const NAMES: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux"] as const;

/** The browser and system of a user agent. An unknown user agent is shown unchanged. */
export function browserName(userAgent: string | null): string {
  const browser = BROWSERS.find((name) => userAgent?.includes(`${name}/`));
  const system = SYSTEMS.find((name) => userAgent?.includes(name));
  if (!browser) return userAgent ?? "unknown";
  return `${NAMES[browser] ?? browser}${system ? ` on ${system === "Mac OS X" ? "macOS" : system}` : ""}`;
}
