import type { Announcement } from "../../../platform-client/types.ts";
import { formatTime } from "../format-values.ts";
import { listCommand } from "../list-command.ts";
import { text } from "../options.ts";

export const listAnnouncements = listCommand<Announcement>({
  summary: "Lists what was announced of models, newest first: new ones, deprecations, retirements.",
  details: "The same is a feed, for feed readers, at /api/changelog.atom.",
  examples: ["changelog", "changelog --limit 10", "changelog --model gpt-4o"],
  options: { model: text("model", "what was announced of one model", "MODEL") },
  call: "GET /api/changelog",
  columns: [
    { heading: "WHEN (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "MODEL", cell: ({ model }) => model },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "SHUTDOWN", cell: (announcement) => announcement.shutdown_date ?? "" },
    { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
  ],
});
