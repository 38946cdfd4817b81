import { members } from "../../../access/access.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { TextStream } from "../../text-stream.ts";
import { fileReply } from "../requests/export-requests.ts";
import { fileHeaders } from "../requests/exported-pieces.ts";
import { findExport } from "./export-view.ts";

/** GET /api/exports/:id/download: the file of an export. */
export function downloadExport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports/:id/download",
    access: members("usage:read"),
    operationId: "downloadExport",
    summary: "Download the file of a background export that is done",
    reply: fileReply,
    async run({ actor, param, exchange }) {
      const found = await findExport(param("id"), actor, platform);
      if (found.state !== "done") throw new ApiError("unknown_export", `The export has no file: it is ${found.state}.`);
      return new Reply(new TextStream(platform.exports.read(found), exchange), { headers: fileHeaders(found.format, found.createdAtMs) });
    },
  });
}
