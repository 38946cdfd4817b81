import { expect, test } from "bun:test";
import { browserName } from "./browser-name.ts";

test("recognizes a browser by its own name, not by the names it adds for compatibility", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  expect(browserName(chrome)).toBe("Chrome on Linux");
  expect(browserName(`${chrome.replace("X11; Linux x86_64", "Windows NT 10.0")} Edg/156.0.0.0`)).toBe("Edge on Windows");
  expect(browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15")).toBe(
    "Safari on macOS",
  );
  expect(browserName("Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile Safari/604.1")).toBe("Safari on iPhone");
  expect(browserName("Mozilla/5.0 (Linux; Android 16) Chrome/156.0.0.0 Mobile Safari/537.36")).toBe("Chrome on Android");
  expect([browserName("curl/8.1"), browserName(null)]).toEqual(["curl/8.1", "unknown"]);
});
