/**
 * Why a request body was not received to its end: the caller cannot pay (`no_credit`), has reached a rate limit (`rate_limit`), or has
 * another body in progress without credit (`one_at_a_time`); or the bodies of the process take all of their memory (`budget`), or it
 * took too long (`deadline`).
 */
export const UPLOAD_REJECTIONS = ["no_credit", "rate_limit", "one_at_a_time", "budget", "deadline"] as const;

export type UploadRejection = (typeof UPLOAD_REJECTIONS)[number];
