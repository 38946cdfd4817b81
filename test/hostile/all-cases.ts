import type { HostileCase } from "./hostile-case.ts";
import { bodyCases } from "./cases/bodies.ts";
import { dialectCases } from "./cases/dialects.ts";
import { encodingCases } from "./cases/encodings.ts";
import { errorCases } from "./cases/errors.ts";
import { eventCases } from "./cases/events.ts";
import { fieldCases } from "./cases/fields.ts";
import { framingCases } from "./cases/framing.ts";
import { headCases } from "./cases/heads.ts";
import { redirectCases } from "./cases/redirects.ts";
import { replyHeaderCases } from "./cases/reply-headers.ts";
import { hugeCases } from "./cases/huge.ts";
import { endlessCases, slowCases } from "./cases/slow.ts";
import { statusCases } from "./cases/statuses.ts";

/** All cases. The upstream and the tests identify a case by its index. */
export function allCases(): HostileCase[] {
  return [
    ...headCases,
    ...framingCases,
    ...encodingCases,
    ...slowCases,
    ...endlessCases,
    ...statusCases,
    ...redirectCases,
    ...replyHeaderCases,
    ...bodyCases,
    ...eventCases,
    ...fieldCases,
    ...errorCases,
    ...dialectCases,
    ...hugeCases,
  ];
}
