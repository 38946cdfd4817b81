import type { Key, LoggedRequest } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { useMe } from "../../shell/me.ts";

/** How far this gateway is, by what is really there. */
export interface GuideProgress {
  readonly isLoading: boolean;
  /** The names of upstreams that call a provider, and serve a model: the built-in echo is none. */
  readonly upstreams: readonly string[];
  readonly key: Key | undefined;
  readonly request: LoggedRequest | undefined;
}

const UNTIL_FIRST_REQUEST_MS = 1500;

export function useProgress(): GuideProgress {
  const { isOperator } = useMe();
  const upstreams = useLook("listUpstreams", { query: { limit: 50 } }, { enabled: isOperator });
  const keys = useLook("listKeys", { query: { state: "active", limit: 1 } });
  const request = useFirstRequest();
  return {
    isLoading: (isOperator && upstreams.isPending) || keys.isPending,
    upstreams: (upstreams.data?.data ?? []).filter(({ dialect, models }) => dialect !== "echo" && models.length > 0).map(({ id }) => id),
    key: keys.data?.data[0],
    request,
  };
}

/** Asks for it until it is there. */
function useFirstRequest(): LoggedRequest | undefined {
  const asked = { query: { limit: 1 } };
  const request = useLook("listRequests", asked).data?.data[0];
  useLook("listRequests", asked, { every: UNTIL_FIRST_REQUEST_MS, enabled: request === undefined });
  return request;
}
