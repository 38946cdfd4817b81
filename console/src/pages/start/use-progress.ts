import type { Key, LoggedRequest } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";

/** The progress of the guide, derived from existing resources. */
export interface GuideProgress {
  readonly isLoading: boolean;
  /** The IDs of upstreams that serve a model, without the built-in echo. */
  readonly upstreams: readonly string[];
  readonly key: Key | undefined;
  readonly request: LoggedRequest | undefined;
}

const POLL_MS = 1500;

export function useProgress(): GuideProgress {
  const { isOperator } = useMe();
  const upstreams = useApiQuery("listUpstreams", { query: { limit: 50 } }, { enabled: isOperator });
  const keys = useApiQuery("listKeys", { query: { state: "active", limit: 1 } });
  const request = useFirstRequest();
  return {
    isLoading: (isOperator && upstreams.isPending) || keys.isPending,
    upstreams: (upstreams.data?.data ?? []).filter(({ dialect, models }) => dialect !== "echo" && models.length > 0).map(({ id }) => id),
    key: keys.data?.data[0],
    request,
  };
}

/** Polls until there is a request. */
function useFirstRequest(): LoggedRequest | undefined {
  const query = { query: { limit: 1 } };
  const request = useApiQuery("listRequests", query).data?.data[0];
  useApiQuery("listRequests", query, { every: POLL_MS, enabled: request === undefined });
  return request;
}
