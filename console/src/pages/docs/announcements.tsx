import { Link } from "@tanstack/react-router";
import { Rss } from "lucide-react";
import type { ReactNode } from "react";
import { urlOf } from "../../platform/call.ts";
import type { Announcement } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { day } from "../../parts/format/format.ts";
import { Section } from "../../parts/page.tsx";
import { Paged } from "../../parts/paged.tsx";
import { Empty } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";

/** Model announcements: new models, retirements and price changes. */
export function Announcements(): ReactNode {
  const pages = usePages("listAnnouncements", { query: { limit: 50 } });
  const feed = (
    <a className={buttonClass()} href={urlOf("showFeed", {})}>
      <Rss size={14} aria-hidden />
      Atom feed
    </a>
  );
  return (
    <Section title="Model announcements" actions={feed} flush>
      <Paged of={pages} empty={<Empty title="No announcements yet">New models, retirements and price changes are listed here.</Empty>}>
        {(announced) => (
          <ul aria-label="Announcements">
            {announced.map((announcement) => (
              <Announced key={`${announcement.at} ${announcement.model} ${announcement.state}`} announcement={announcement} />
            ))}
          </ul>
        )}
      </Paged>
    </Section>
  );
}

function Announced({ announcement: { at, model, text } }: { readonly announcement: Announcement }): ReactNode {
  return (
    <li className="flex flex-wrap gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 first:border-t-0">
      <time dateTime={at} className="figures w-28 shrink-0 text-ink-3">
        {day(at)}
      </time>
      <Link to="/models/$id" params={{ id: model }} title={model} className={classes(textLink, "w-44 shrink-0 truncate")}>
        {model}
      </Link>
      <p className="min-w-0 basis-80 grow wrap-anywhere text-ink-2">{text}</p>
    </li>
  );
}
