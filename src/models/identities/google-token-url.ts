/** Google's token endpoint, as in Google's own libraries: the `token_uri` of a key file is not called. */
export const GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token";
