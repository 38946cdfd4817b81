import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";

/** An answer under way: whole, or in pieces. */
export type Answer =
  | { readonly kind: "json"; readonly completion: Promise<Completion> }
  | { readonly kind: "events"; readonly opening: Promise<ChunkStream> };
