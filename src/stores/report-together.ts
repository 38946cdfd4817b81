/** Called with the first failure, and with undefined when there is no failure any more. */
export type ReportFailure = (failure: string | undefined) => void;

/** Combines several sources of failures: reports the first failure, and a recovery when no source fails any more. */
export function reportTogether(report: ReportFailure): () => ReportFailure {
  const failing = new Set<ReportFailure>();
  return () => {
    const reporter: ReportFailure = (failure) => {
      const wasFailing = failing.size > 0;
      if (failure === undefined) failing.delete(reporter);
      else failing.add(reporter);
      if (failing.size > 0 !== wasFailing) report(failure);
    };
    return reporter;
  };
}
