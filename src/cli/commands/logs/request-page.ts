import type { RequestView } from "../../views.ts";

export interface RequestPage {
  readonly data: readonly RequestView[];
  readonly next: string | null;
  readonly newer: string | null;
}

/** Prints requests, and resolves to false when the output is closed. */
export type Print = (requests: readonly RequestView[]) => Promise<boolean>;
