/**
 * Why a request body was not received to its end: the caller cannot pay (`no_credit`), has reached a rate limit (`rate_limit`), or has
 * another body in progress without credit (`one_at_a_time`); the unfinished uploads of its account have used up the account's memory share
 * (`account_share`); all bodies together have used up the process's memory budget (`budget`); or the upload took too long (`deadline`).
 */
export const UPLOAD_REJECTIONS = ["no_credit", "rate_limit", "one_at_a_time", "account_share", "budget", "deadline"] as const;

export type UploadRejection = (typeof UPLOAD_REJECTIONS)[number];
