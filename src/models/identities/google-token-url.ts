/** Google's token endpoint, as its own libraries have it: the `token_uri` of a key file is not called. */
export const GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token";
