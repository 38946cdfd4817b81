import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

/** GET /assets/:file: scripts, styles and fonts of the console. */
export function showAsset(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/assets/:file",
    access: "anyone",
    operationId: "showAsset",
    summary: "Get a file of the console",
    query: "any",
    // Not logged: a visit loads many files, and the log has the visit.
    isProbe: true,
    reply: { status: 200, description: "The file.", isPage: true },
    async run({ param, exchange }) {
      const asset = await platform.console.asset(param("file"), exchange.request.headers.get("accept-encoding"));
      if (!asset) throw new ApiError("unknown_url", "There is no such file.");
      // The file name changes with its contents.
      exchange.isImmutable = true;
      return asset;
    },
  });
}
