import type { Announcement } from "../../../platform-client/types.ts";
import { formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { text } from "../options.ts";

export const listAnnouncements = listCommand<Announcement>({
  summary: "List announcements of models, newest first: additions, deprecations and retirements.",
  details: "The same entries are available as an Atom feed at /api/changelog.atom.",
  examples: ["changelog", "changelog --limit 10", "changelog --model gpt-4o"],
  options: { model: text("model", "only announcements of this model", "MODEL") },
  call: "GET /api/changelog",
  empty: () => "No announcements.",
  columns: [
    { heading: "TIME (UTC)", cell: ({ at }) => formatTime(at) },
    { heading: "MODEL", cell: ({ model }) => model },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "SHUTDOWN", cell: (announcement) => announcement.shutdown_date ?? "" },
    { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
  ],
});
