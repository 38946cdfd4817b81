import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { isUnauthenticated } from "../../platform/call.ts";
import { useResetOnExpiry } from "../../platform/use-api.ts";
import { runInBulk, type BulkOutcome } from "./run-in-bulk.ts";

interface BulkInput<Item> {
  readonly items: readonly Item[];
  /** The fields of the dialog. */
  readonly typed: FormData;
}

interface Bulk<Item> {
  readonly change: UseMutationResult<BulkOutcome<Item>, Error, BulkInput<Item>>;
  /** The number of items that are finished, well or not. */
  readonly finished: number;
  readonly stop: () => void;
}

/** A change of many items by one request for each. Everything is fetched again at the end. */
export function useBulk<Item>(run: (item: Item, typed: FormData) => Promise<unknown>): Bulk<Item> {
  const client = useQueryClient();
  const [finished, setFinished] = useState(0);
  const isStopped = useRef(false);
  const change = useMutation({
    // With a key it is a change in flight, and its dialog stays open.
    mutationKey: ["bulk"],
    mutationFn: ({ items, typed }: BulkInput<Item>) =>
      runInBulk(items, (item) => run(item, typed), {
        onProgress: setFinished,
        isStopped: () => isStopped.current,
        isFatal: isUnauthenticated,
      }),
    onSettled: () => void client.invalidateQueries(),
  });
  useResetOnExpiry(change);
  return { change, finished, stop: () => void (isStopped.current = true) };
}
