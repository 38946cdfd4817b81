import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";

/** A response that is still to come: JSON, or a stream. */
export type PendingResponse =
  | { readonly kind: "json"; readonly completion: Promise<Completion> }
  | { readonly kind: "events"; readonly opening: Promise<ChunkStream> };
