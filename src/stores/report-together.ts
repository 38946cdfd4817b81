/** Called with the first failure, and with undefined when there is none any more. */
export type ReportFailure = (failure: string | undefined) => void;

/** Reporters for several sources of failures: the first failure is reported, and a recovery when none of the sources fails any more. */
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
