import { CONSOLE_PATHS } from "../../console/console-paths.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

/** GET /, GET /keys, …: the console. It contains no secret: all data comes from the API. */
export function showConsole(platform: Platform): Operation[] {
  return CONSOLE_PATHS.map((path) =>
    operation({
      method: "GET",
      path,
      access: "anyone",
      operationId: `showConsole at ${path}`,
      summary: "Open the console",
      query: "any",
      reply: { status: 200, description: "The console.", isPage: true },
      run: () => platform.console.page(),
    }),
  );
}
