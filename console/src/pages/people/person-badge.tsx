import type { ReactNode } from "react";
import type { Person } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { day, moment } from "../../parts/format/format.ts";

/** The sign-in state of a person. */
export function PersonBadge({
  person: { archived_at, disabled_at, invited_until, has_password, has_identity },
}: {
  readonly person: Person;
}): ReactNode {
  if (archived_at) return <Badge title={moment(archived_at)}>archived</Badge>;
  if (disabled_at) return <Badge tone="bad">disabled</Badge>;
  if (has_password || has_identity) return <Badge tone="good">active</Badge>;
  if (!invited_until) return <Badge>not invited</Badge>;
  const isExpired = Date.parse(invited_until) < Date.now();
  return isExpired ? (
    <Badge tone="warn" title={`The link expired on ${moment(invited_until)}`}>
      invitation expired
    </Badge>
  ) : (
    <Badge title={`The link expires on ${moment(invited_until)}`}>invite expires {day(invited_until)}</Badge>
  );
}
